// Whom a live command asks: hosts, and how each is reached. The asker's own host is asked directly,
// without an agent; so is every other host name under which processes of this machine record, unless
// an agent registered for it. Agents register in RUN/agents, or are named by their addresses. Any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "live/asker/agent_client.h"
#include "lockstep/status.h"

namespace lockstep::live {

struct Target {
  enum class Way {
    Direct,       // this process answers, from this machine's control sockets and memory files
    Agent,        // an agent answers
    Unreachable,  // known to the run, and there is no way to it
  };
  std::string host;
  Way way = Way::Direct;
  std::string reason;  // of Unreachable, a sentence
  AgentAddress agent;  // of Agent
};

// What the command line names.
struct AskedFor {
  std::string run;       // a run directory; empty: all of this user's processes on this machine
  std::string agents;    // HOST:PORT,... in its place: these agents and nobody else
  std::string key_file;  // empty: the run's own, RUN/agents/key
};

struct Targets {
  std::vector<Target> hosts;      // each host once
  std::vector<std::string> runs;  // for HostContext
  std::optional<LiveKey> key;     // of agents over TCP
};

// The error: the run directory or the key cannot be read, the list is none, or no process records
// there.
Result<Targets> find_targets(const AskedFor& asked);

}  // namespace lockstep::live
