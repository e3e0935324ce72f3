// The other end of a process's control socket (plugin/process/control_socket.h): finds the sockets
// of a run directory or of one process on this machine, asks one question, gives the answers' JSON.
// Any thread; waits no longer than the deadline that the caller names.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::live {

// What a process needs for the longest of its answers, `flush`, with room to spare. Nanoseconds.
constexpr int64_t kControlPatienceNs = 10'000'000'000;

struct ControlledProcess {
  std::string directory;
  std::string name;  // of the socket in it: <host>.<pid>.ctl
};

// Host and process id of such a name; an empty host where it is none.
struct ControlName {
  std::string host;
  uint32_t pid = 0;
};
ControlName parse_control_name(const std::string& name);

// `where` is a run directory, or a process id.
Result<std::vector<ControlledProcess>> controlled_processes(const std::string& where);
// Those of one process, by the run directory that it keeps open; none where it does not record.
std::vector<ControlledProcess> controlled_process(uint32_t pid);

// Whether a process listens there: false for a socket whose process is gone or on another machine.
bool is_listening(const ControlledProcess& process);

// One answer's JSON. `deadline_ns` is of CLOCK_MONOTONIC.
Result<std::string> ask_process(const ControlledProcess& process, const std::string& request,
                                int64_t deadline_ns);
// Whether it did what it was asked to; the error is why not, from the process itself or of the way there.
Status was_done(const Result<std::string>& answer);
// A request that changes something, with who asks: the process's note in its segment names them.
std::string request_by(const std::string& asker, const std::string& request);

}  // namespace lockstep::live
