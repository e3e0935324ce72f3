// Where a capture begins and ends, and what is sent to whom for it. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/capture/job_look.h"
#include "lockstep/status.h"

namespace lockstep::cli {

using ProcessId = std::pair<std::string, uint32_t>;  // host, pid

// What a process is told: `capture arm ID kinds=.. by=RULE limit_ms=..`, of which RULE is here.
using Rules = std::map<ProcessId, std::string>;

// Two looks at the job, so far apart; the second tells where it is.
struct Looks {
  const std::vector<ProcessLook>& first;
  const std::vector<ProcessLook>& second;
  double seconds = 0;  // between them
};

// How long and from where, by collectives of each process's communicator: those of one communicator begin
// with the same one.
struct PositionTerms {
  std::optional<uint64_t> count;  // of collectives; else as many as were called in
  double seconds = 0;             // this time while it was watched
  double arming_s = 0;            // what it may take until everybody is armed
};
// The error: nobody has a position, or, without a count, nobody called anything.
Result<Rules> position_rules(const Looks& looks, const PositionTerms& terms);

// The same text for all.
Rules same_rule(const std::vector<ProcessLook>& processes, const std::string& rule);
// Processes of a host get the rule of their host.
Rules rules_by_host(const std::vector<ProcessLook>& processes,
                    const std::map<std::string, std::string>& rules);

// The arguments of the question `capture` (live/questions/capture_answer.h): `words` with the rule in
// place of `%`, to those that have one.
std::string capture_requests(const Rules& rules, const std::string& words);
// Of `capture_status` and for cancelling: the same words to all.
std::string capture_request(const std::string& words);

// All of them, each once, by "; ".
std::string rules_text(const Rules& rules);

}  // namespace lockstep::cli
