// The recording processes of this machine: told by the control sockets of the runs given, and by the
// memory files that belong to those runs. Each carries the host that it was recorded under
// (LOCKSTEP_HOST, else the machine's name), and only processes of the host asked for are given, so
// that of several agents on one machine no two report the same process. Any thread; waits for nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "live/local/control_client.h"
#include "lockstep/status.h"

namespace lockstep::live {

struct LocalProcess {
  std::string host;  // as recorded
  uint32_t pid = 0;
  std::string run_directory;  // of the run, without the host's own folder in it
  std::string memory_file;    // empty with LOCKSTEP_CRASH_SAFE=0
  // Its control socket; nothing where it could not make one.
  std::optional<ControlledProcess> control;
};

struct LocalScope {
  std::string host;               // empty: processes of every name
  std::vector<std::string> runs;  // empty: all of this user's, which only memory files tell of
};

// The name under which this machine's processes are recorded: LOCKSTEP_HOST, else the machine's.
std::string own_host();

// By host and process id. Processes that have ended are left out.
std::vector<LocalProcess> local_processes(const LocalScope& scope);

// The error: to ask it would only take all the time there is, since it is stopped, or has no socket.
Status can_answer(const LocalProcess& process);

// Hosts whose control sockets lie in the run, on whatever machine their processes are or were.
Result<std::set<std::string>> hosts_of_run(const std::string& run);

}  // namespace lockstep::live
