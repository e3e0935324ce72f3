#include "clocksync/probe/prepare_probe.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/text.h"
#include "clocksync/probe/probe_paths.h"
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

// Each name once, as the first of its addresses: further ones lead over the same wire.
std::vector<Interface> one_of_each(const std::vector<Interface>& chosen) {
  std::vector<Interface> kept;
  for (const Interface& one : chosen) {
    const bool same_wire = std::any_of(kept.begin(), kept.end(),
                                       [&](const Interface& k) { return k.name == one.name; });
    const bool same_family = kept.empty() || kept.front().family == one.family;
    if (!same_wire && same_family && kept.size() < kMostInterfaces) kept.push_back(one);
  }
  return kept;
}

// Our interfaces: what a list given by hand says, else those that NCCL would choose. Only a list
// that names interfaces makes more than one an edge: where it only excludes some, the rest are often
// bridges that lead nowhere.
Result<std::vector<Interface>> choose_our_interfaces(const ClockSyncOptions& options,
                                                     const ListedSelf& listed, bool beyond_loopback,
                                                     const Environment& environment) {
  using Interfaces = std::vector<Interface>;
  const Interfaces all = system_interfaces();
  for (const Interface& one : all) {
    if (one.address == listed.address) return Interfaces{one};
  }
  // All of 127.0.0.0/8 is ours without being listed by the kernel.
  if (is_loopback_address(listed.address))
    return Interfaces{Interface{"lo", listed.address, Family::V4, true}};
  const InterfaceRules rules = {environment("NCCL_SOCKET_IFNAME"),
                                parse_family(environment("NCCL_SOCKET_FAMILY"))};
  Interfaces usable;
  for (const Interface& one : all) {
    if (beyond_loopback || one.loopback) usable.push_back(one);
  }
  Interfaces chosen = one_of_each(choose_interfaces(usable, rules));
  if (!chosen.empty() && !ifname_names(rules.ifname)) chosen.resize(1);
  if (!chosen.empty()) return chosen;
  const std::string key =
      beyond_loopback ? "" : "; without a key only loopback is used: set LOCKSTEP_CLOCK_KEY_FILE";
  return Status::error("no network interface fits NCCL_SOCKET_IFNAME=" + rules.ifname +
                       " for clock probes of " + options.run_directory + key);
}

// Appends the sockets of one interface.
Status open_paths(const ClockSyncOptions& options, const Interface& interface, uint16_t port,
                  bool beyond_loopback, std::vector<ProbeSocket>* paths) {
  ProbeSocketOptions wanted = {interface.address, port, beyond_loopback, options.kernel_stamps};
  Result<ProbeSocket> known = ProbeSocket::open(wanted);
  const bool any_port_will_do = options.rendezvous.empty() ||
                                starts_with(options.rendezvous, "dir:") ||
                                starts_with(options.rendezvous, "tcp:");
  wanted.port = 0;
  const bool elsewhere = !known.ok() && port != 0 && any_port_will_do;
  if (!elsewhere && !known.ok()) return known.status();
  if (!elsewhere) paths->push_back(std::move(known.value()));
  // Trains leave from ports of their own: two, because the second may take another way through the
  // switches, and because a flood at the known port must not push their send stamps out of its
  // queue.
  for (size_t i = elsewhere ? 0 : 1; i < ProbePaths::kOfInterface; ++i) {
    Result<ProbeSocket> source = ProbeSocket::open(wanted);
    if (!source.ok()) return source.status();
    paths->push_back(std::move(source.value()));
  }
  return Status();
}

ClockHello hello_of(const ProbeIdentity& identity, const std::vector<Interface>& interfaces,
                    const ClockSyncOptions& options) {
  const Interface& first = interfaces.front();
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
  const NicFacts nic = nic_facts(first.name);
  hello.nic_name = first.name;
  hello.nic_driver = nic.driver;
  hello.nic_stamps = nic.timestamping;
  hello.nic_coalesce = nic.coalescing + ", mtu " + std::to_string(nic.mtu);
  for (const Interface& one : interfaces) hello.addresses.push_back(one.address);
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
  const auto chosen = choose_our_interfaces(options, listed, beyond, environment);
  if (!chosen.ok()) return chosen.status();
  const std::vector<Interface>& interfaces = chosen.value();
  const uint16_t port = listed.port != 0 ? listed.port : options.port;
  PreparedProbe prepared;
  for (const Interface& interface : interfaces) {
    const Status opened = open_paths(options, interface, port, beyond, &prepared.paths);
    if (!opened.ok()) return opened;
  }

  const std::string& address = interfaces.front().address;
  prepared.setup.options = options;
  prepared.setup.self = {identity.host, host_id_of(identity.host), address,
                         prepared.paths.front().port(), pod_of(options, address, environment)};
  for (uint32_t via = 1; via < interfaces.size(); ++via) {
    const ProbeSocket& known = prepared.paths[ProbePaths::known_socket(via)];
    prepared.setup.self.further.push_back(
        {interfaces[via].name, interfaces[via].address, known.port()});
  }
  prepared.setup.job = identity.job;
  prepared.setup.secret = secret.value().key;
  prepared.setup.hello = hello_of(identity, interfaces, options);
  RendezvousFacts facts = {options.rendezvous,  directory,          options.port,
                           prepared.setup.self, secret.value().key, options.expected_hosts};
  Result<RendezvousPlan> plan = plan_rendezvous(facts, environment);
  if (!plan.ok()) return plan.status();
  prepared.plan = std::move(plan.value());
  return Result<PreparedProbe>(std::move(prepared));
}

}  // namespace lockstep::clocksync
