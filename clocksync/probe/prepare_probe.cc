#include "clocksync/probe/prepare_probe.h"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "clocksync/rendezvous/host_list.h"
#include "clocksync/rendezvous/rendezvous_list.h"
#include "clocksync/wire/interfaces.h"
#include "clocksync/wire/key_file.h"

namespace lockstep::clocksync {
namespace {

std::string hex(uint64_t value) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

Status make_directories(const std::string& path) {
  for (size_t at = 1; at <= path.size(); ++at) {
    if (at != path.size() && path[at] != '/') continue;
    const std::string part = path.substr(0, at);
    if (mkdir(part.c_str(), 0700) != 0 && errno != EEXIST) {
      return Status::error("directory " + part + " cannot be made: " + std::strerror(errno));
    }
  }
  return Status();
}

// The directory of the rendezvous, or empty when the choice has none.
std::string rendezvous_directory(const ClockSyncOptions& options, const std::string& job) {
  const std::string name = "/" + hex(name_hash(job));
  if (options.rendezvous.empty()) return options.run_directory + "/clock" + name;
  if (starts_with(options.rendezvous, "dir:")) return options.rendezvous.substr(4) + name;
  return "";
}

struct Secret {
  SecretKey key{};
  bool beyond_loopback = false;
};

Result<Secret> find_secret(const ClockSyncOptions& options, const std::string& directory) {
  Secret secret;
  if (options.key_file.empty() && directory.empty()) {
    secret.beyond_loopback = options.insecure;
    return secret;
  }
  const Result<SecretKey> key = options.key_file.empty() ? read_or_create_key(directory + "/key")
                                                         : read_key_file(options.key_file);
  if (!key.ok()) return key.status();
  secret.key = key.value();
  secret.beyond_loopback = true;
  return secret;
}

std::string pod_of(const ClockSyncOptions& options, const std::string& address,
                   const Environment& environment) {
  if (!options.pod.empty()) return options.pod;
  std::string from_environment = pod_from_environment(environment);
  if (!from_environment.empty()) return from_environment;
  // The /24, or the IPv6 address less its last group.
  return address.substr(0, address.find_last_of(".:"));
}

// Our interface and port: what a list given by hand says, else what NCCL would choose.
Result<Interface> choose_interface(const ClockSyncOptions& options, const ListedSelf& listed,
                                   bool beyond_loopback, const Environment& environment) {
  const std::vector<Interface> all = system_interfaces();
  for (const Interface& one : all) {
    if (one.address == listed.address) return one;
  }
  // All of 127.0.0.0/8 is ours without being listed by the kernel.
  if (is_loopback_address(listed.address)) return Interface{"lo", listed.address, Family::V4, true};
  const InterfaceRules rules = {environment("NCCL_SOCKET_IFNAME"),
                                parse_family(environment("NCCL_SOCKET_FAMILY"))};
  std::vector<Interface> usable;
  for (const Interface& one : all) {
    if (beyond_loopback || one.loopback) usable.push_back(one);
  }
  const std::vector<Interface> chosen = choose_interfaces(usable, rules);
  if (!chosen.empty()) return chosen.front();
  const std::string key =
      beyond_loopback ? "" : "; without a key only loopback is used: set LOCKSTEP_CLOCK_KEY_FILE";
  return Status::error("no network interface fits NCCL_SOCKET_IFNAME=" + rules.ifname +
                       " for clock probes of " + options.run_directory + key);
}

Result<std::vector<ProbeSocket>> open_paths(const ClockSyncOptions& options,
                                            const Interface& interface, uint16_t port,
                                            bool beyond_loopback) {
  std::vector<ProbeSocket> paths;
  ProbeSocketOptions wanted = {interface.address, port, beyond_loopback, options.kernel_stamps};
  Result<ProbeSocket> first = ProbeSocket::open(wanted);
  const bool any_port_will_do = options.rendezvous.empty() ||
                                starts_with(options.rendezvous, "dir:") ||
                                starts_with(options.rendezvous, "tcp:");
  wanted.port = 0;
  if (!first.ok() && port != 0 && any_port_will_do) {
    Result<ProbeSocket> other = ProbeSocket::open(wanted);
    if (!other.ok()) return other.status();
    paths.push_back(std::move(other.value()));
  } else if (!first.ok()) {
    return first.status();
  } else {
    paths.push_back(std::move(first.value()));
  }
  // Trains leave from ports of their own: two, because the second may take another way through the
  // switches, and because a flood at the known port must not push their send stamps out of its
  // queue.
  for (int i = 0; i < 2; ++i) {
    Result<ProbeSocket> source = ProbeSocket::open(wanted);
    if (!source.ok()) return source.status();
    paths.push_back(std::move(source.value()));
  }
  return Result<std::vector<ProbeSocket>>(std::move(paths));
}

ClockHello hello_of(const ProbeIdentity& identity, const Interface& interface,
                    const ClockSyncOptions& options) {
  ClockHello hello;
  hello.host = identity.host;
  hello.boot_id = identity.facts.boot_id;
  hello.clock_namespace = identity.facts.clock_namespace;
  hello.job = identity.job;
  hello.kernel = identity.facts.kernel;
  hello.clocksource = identity.facts.clocksource;
  // Other clock sources make every reading a system call.
  hello.vdso = hello.clocksource == "tsc" || hello.clocksource == "arch_sys_counter" ||
               hello.clocksource == "kvm-clock";
  const NicFacts nic = nic_facts(interface.name);
  hello.nic_name = interface.name;
  hello.nic_driver = nic.driver;
  hello.nic_stamps = nic.timestamping;
  hello.nic_coalesce = nic.coalescing + ", mtu " + std::to_string(nic.mtu);
  hello.addresses = {interface.address};
  hello.config = options.settings;
  return hello;
}

}  // namespace

ProbeIdentity identify(const ClockSyncOptions& options, const Environment& environment) {
  ProbeIdentity identity;
  identity.facts = host_facts();
  identity.host = options.host.empty() ? identity.facts.name : options.host;
  identity.job = options.job.empty() ? job_name(environment) : options.job;
  if (identity.job.empty()) identity.job = options.fallback_job;
  if (identity.job.empty()) identity.job = "run";
  return identity;
}

Result<PreparedProbe> prepare_probe(const ClockSyncOptions& options, const ProbeIdentity& identity,
                                    const Environment& environment) {
  const std::string directory = rendezvous_directory(options, identity.job);
  if (!directory.empty()) {
    const Status made = make_directories(directory);
    if (!made.ok()) return made;
  }
  const Result<Secret> secret = find_secret(options, directory);
  if (!secret.ok()) return secret.status();
  ListedSelf listed;
  if (starts_with(options.rendezvous, "static:")) {
    const auto hosts = parse_static_list(options.rendezvous.substr(7));
    if (hosts.ok()) listed = find_self(hosts.value(), identity.host);
  }
  const bool beyond = secret.value().beyond_loopback;
  const Result<Interface> interface = choose_interface(options, listed, beyond, environment);
  if (!interface.ok()) return interface.status();
  const uint16_t port = listed.port != 0 ? listed.port : options.port;
  Result<std::vector<ProbeSocket>> paths = open_paths(options, interface.value(), port, beyond);
  if (!paths.ok()) return paths.status();

  PreparedProbe prepared;
  const std::string& address = interface.value().address;
  prepared.setup.options = options;
  prepared.setup.self = {identity.host, host_id_of(identity.host), address,
                         paths.value().front().port(), pod_of(options, address, environment)};
  prepared.setup.job = identity.job;
  prepared.setup.secret = secret.value().key;
  prepared.setup.hello = hello_of(identity, interface.value(), options);
  RendezvousFacts facts = {options.rendezvous,  directory,          options.port,
                           prepared.setup.self, secret.value().key, options.expected_hosts};
  Result<RendezvousPlan> plan = plan_rendezvous(facts, environment);
  if (!plan.ok()) return plan.status();
  prepared.plan = std::move(plan.value());
  prepared.paths = std::move(paths.value());
  return Result<PreparedProbe>(std::move(prepared));
}

}  // namespace lockstep::clocksync
