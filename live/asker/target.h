// Whom a live command asks: hosts, and how each is reached. The asker's own host is asked directly,
// without an agent; so is every other host name under which processes of this machine record, unless
// an agent registered for it. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/status.h"

namespace lockstep::live {

struct Target {
  enum class Way {
    Direct,       // this process answers, from this machine's control sockets and memory files
    Unreachable,  // known to the run, and there is no way to it
  };
  std::string host;
  Way way = Way::Direct;
  std::string reason;  // of Unreachable, a sentence
};

// What the command line names.
struct AskedFor {
  std::string run;  // a run directory; empty: all of this user's processes on this machine
};

struct Targets {
  std::vector<Target> hosts;      // each host once
  std::vector<std::string> runs;  // for HostContext
};

// The error: the run directory cannot be read, or no process records there.
Result<Targets> find_targets(const AskedFor& asked);

}  // namespace lockstep::live
