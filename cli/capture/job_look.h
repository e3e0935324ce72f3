// What the processes of a job are and how far they have come, from the rows of the question `ps`: who is
// asked for a capture, and where it can begin. Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/number_ranges.h"

namespace lockstep::cli {

// A rank of a communicator in a process; a process may have several.
struct MemberLook {
  std::string comm, name;  // its id, 0x..., and its name
  int64_t rank = -1, ranks = 0;
  std::optional<uint64_t> position;  // calls of collectives so far; none of an earlier lockstep
};

struct ProcessLook {
  std::string host;
  uint32_t pid = 0;
  bool answered = false;
  std::string events;  // kinds that it records
  std::vector<MemberLook> members;
};

std::vector<ProcessLook> job_look(const std::string& rows);

// For each process the communicator by which it is captured: the largest of the job that it is in; of
// equal ones the one called `world`, then the one whose members called most.
class CommChoice {
 public:
  explicit CommChoice(const std::vector<ProcessLook>& processes);
  // Empty: in none.
  std::string of(const ProcessLook& process) const;
  // Of this process in its communicator.
  std::vector<const MemberLook*> members(const ProcessLook& process) const;

 private:
  std::vector<std::string> by_size_;
};

// Whom the options name; empty ones name all.
struct CaptureScope {
  NumberRanges ranks;
  std::set<std::string> hosts;
  bool is_all() const { return ranks.empty() && hosts.empty(); }
  bool has(const ProcessLook& process, const CommChoice& choice) const;
};

}  // namespace lockstep::cli
