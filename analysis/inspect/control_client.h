// The other end of a process's control socket (plugin/process/control_socket.h): finds the sockets of a run
// directory or of one process on this machine, asks one question, gives the answer's JSON.
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
Result<std::string> ask_process(const ControlledProcess& process, const std::string& request);

}  // namespace lockstep::analysis
