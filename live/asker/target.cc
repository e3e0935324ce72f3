#include "live/asker/target.h"

#include <set>

#include "dumper/recovery/memory_files.h"
#include "live/local/local_processes.h"

namespace lockstep::live {

Result<Targets> find_targets(const AskedFor& asked) {
  Targets targets;
  std::set<std::string> told;  // by the run's control sockets
  if (!asked.run.empty()) {
    auto hosts = hosts_of_run(asked.run);
    if (!hosts.ok()) return hosts.status();
    told = std::move(hosts.value());
    targets.runs = {dumper::real_path(asked.run)};
  }
  std::set<std::string> here;
  for (const LocalProcess& process : local_processes({"", targets.runs})) here.insert(process.host);
  if (asked.run.empty()) here.insert(own_host());
  for (const std::string& host : here) targets.hosts.push_back({host, Target::Way::Direct, ""});
  for (const std::string& host : told) {
    // Sockets of dead processes stay until somebody recovers.
    if (here.count(host) != 0 || host == own_host()) continue;
    targets.hosts.push_back({host, Target::Way::Unreachable,
                             "no agent answers for it: `lockstep agent " + asked.run +
                                 "` there, or `lockstep agents start`"});
  }
  if (targets.hosts.empty())
    return Status::error(asked.run + ": no process records there at the moment");
  return targets;
}

}  // namespace lockstep::live
