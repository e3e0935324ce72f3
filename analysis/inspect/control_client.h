// The other end of a process's control socket (plugin/process/control_socket.h): finds the sockets
// of a run directory or of one process on this machine, asks one question, gives the answers' JSON.
#pragma once

#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::analysis {

struct ControlledProcess {
  std::string directory;
  std::string name;  // of the socket in it: <host>.<pid>.ctl
};

// `where` is a run directory, or a process id.
Result<std::vector<ControlledProcess>> controlled_processes(const std::string& where);
// All at once, so that those which do not answer are waited for once and not one after the other;
// an answer or an error each, in the same order.
std::vector<Result<std::string>> ask_processes(const std::vector<ControlledProcess>& processes,
                                               const std::string& request);

}  // namespace lockstep::analysis
