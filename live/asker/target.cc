#include "live/asker/target.h"

#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <set>
#include <utility>

#include "clocksync/rendezvous/host_list.h"
#include "clocksync/wire/key_file.h"
#include "dumper/recovery/memory_files.h"
#include "dumper/run/process_state.h"
#include "live/local/local_processes.h"
#include "live/registry/registration.h"

namespace lockstep::live {
namespace {

Target direct(const std::string& host) { return {host, Target::Way::Direct, "", {}}; }

Target unreachable(const std::string& host, const std::string& run) {
  return {host,
          Target::Way::Unreachable,
          "no agent answers for it: `lockstep agent " + run + "` there, or `lockstep agents start`",
          {}};
}

// Over its Unix socket where that is on this machine.
Target by_agent(const Registration& registration, const std::string& run) {
  Target target{registration.process.host, Target::Way::Agent, "", {}};
  target.agent.address = registration.address;
  target.agent.port = registration.port;
  const std::string socket = socket_path(run, registration.process.host);
  if (registration.process.boot_id == dumper::this_boot_id() && access(socket.c_str(), W_OK) == 0)
    target.agent.socket = socket;
  if (target.agent.socket.empty() && registration.port == 0)
    return {registration.process.host,
            Target::Way::Unreachable,
            "its agent listens on its own machine only: it was started without a key",
            {}};
  return target;
}

Result<std::optional<LiveKey>> read_key(const std::string& path) {
  const auto key = clocksync::read_key_file(path);
  if (!key.ok()) return key.status();
  const auto live = derive_live_key(key.value());
  if (!live) return Status::error("no random numbers on this machine: agents cannot be asked");
  return std::optional<LiveKey>(live);
}

// Items of "a:1,b[01-16]:2,[fd00::2]:3".
Result<std::vector<std::string>> split_agents(const std::string& list) {
  std::vector<std::string> items;
  std::string plain;  // all but addresses in brackets
  for (size_t at = 0; at < list.size();) {
    size_t end = at;
    for (int depth = 0; end < list.size() && (depth > 0 || list[end] != ','); ++end)
      depth += list[end] == '[' ? 1 : list[end] == ']' ? -1 : 0;
    const std::string item = list.substr(at, end - at);
    at = end + 1;
    if (!item.empty() && item[0] == '[') {
      items.push_back(item);
    } else if (!item.empty()) {
      auto names = clocksync::expand_nodelist(item);
      if (!names.ok()) return names.status();
      for (std::string& name : names.value()) items.push_back(std::move(name));
    }
  }
  return items;
}

Result<Targets> listed_agents(const AskedFor& asked) {
  if (asked.key_file.empty())
    return Status::error("agents given by their addresses need the run's key: --key FILE");
  Targets targets;
  auto key = read_key(asked.key_file);
  if (!key.ok()) return key.status();
  targets.key = key.value();
  const auto items = split_agents(asked.agents);
  if (!items.ok()) return items.status();
  std::set<std::string> seen;
  for (const std::string& item : items.value()) {
    const auto at = clocksync::parse_host_port(item);
    if (!at.ok()) return at.status();
    if (at.value().port == 0)
      return Status::error("\"" + item + "\": expected HOST:PORT, as the agent prints it");
    if (!seen.insert(item).second) continue;
    Target target{item, Target::Way::Agent, "", {}};
    target.agent = {"", at.value().host, at.value().port};
    targets.hosts.push_back(std::move(target));
  }
  if (targets.hosts.empty()) return Status::error("--agents names nobody; expected HOST:PORT,...");
  return targets;
}

Result<Targets> processes_here() {
  std::set<std::string> here = {own_host()};
  for (const LocalProcess& process : local_processes({"", {}})) here.insert(process.host);
  Targets targets;
  for (const std::string& host : here) targets.hosts.push_back(direct(host));
  return targets;
}

// By host: the own one directly, others by their agents, and those without one directly where their
// processes run on this machine under another name. The own one's agent is asked where its processes
// record elsewhere (`lockstep run --node-local`).
Result<Targets> hosts_of(const AskedFor& asked) {
  const std::string run = dumper::real_path(asked.run);
  auto told = hosts_of_run(run);
  if (!told.ok()) return told.status();
  Targets targets;
  targets.runs = {run};
  std::map<std::string, Target> hosts;
  const auto here = local_processes({"", targets.runs});
  for (const LocalProcess& process : here) {
    if (process.host == own_host()) hosts.emplace(process.host, direct(process.host));
  }
  for (const auto& [host, registration] : read_registrations(run))
    hosts.emplace(host, by_agent(registration, run));
  for (const LocalProcess& process : here) hosts.emplace(process.host, direct(process.host));
  // Sockets of dead processes stay until somebody recovers.
  told.value().erase(own_host());
  for (const std::string& host : told.value()) hosts.emplace(host, unreachable(host, asked.run));
  for (auto& [host, target] : hosts) targets.hosts.push_back(std::move(target));
  if (targets.hosts.empty())
    return Status::error(asked.run + ": no process records there at the moment");
  const std::string key_file = asked.key_file.empty() ? run_key_path(run) : asked.key_file;
  if (asked.key_file.empty() && access(key_file.c_str(), F_OK) != 0) return targets;
  auto key = read_key(key_file);
  if (!key.ok()) return key.status();
  targets.key = key.value();
  return targets;
}

}  // namespace

Result<Targets> find_targets(const AskedFor& asked) {
  if (!asked.agents.empty()) return listed_agents(asked);
  return asked.run.empty() ? processes_here() : hosts_of(asked);
}

}  // namespace lockstep::live
