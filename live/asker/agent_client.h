// Asks one agent. Any thread; waits no longer than the deadline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "live/questions/question.h"
#include "live/wire/hello.h"

namespace lockstep::live {

struct AgentAddress {
  std::string socket;   // path of its Unix socket; empty: TCP
  std::string address;  // a name or a number
  uint16_t port = 0;
};

struct AgentQuestion {
  Question question;
  std::string run;
  int64_t deadline_ns = 0;  // of CLOCK_MONOTONIC
  uint64_t most_bytes = 0;  // of parts
};

// The error says what failed: no way there, another key, cut off in the middle, too late, or what the
// agent refused.
Result<HostAnswer> ask_agent(const AgentAddress& agent, const std::optional<LiveKey>& key,
                             const AgentQuestion& question, PartSink* parts);

}  // namespace lockstep::live
