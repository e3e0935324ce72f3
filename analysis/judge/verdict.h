// From the facts of one stall to a finding: the rules in order, each sure enough to stop the
// search. Dead processes first (nothing else matters then), then other operations, other sizes,
// missing ranks, and only when everybody is inside, the network operations. Used by diagnose().
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/judge/stalls.h"

namespace lockstep::analysis {

struct Verdict {
  std::optional<Finding> finding;  // none: too early to tell, or nothing wrong
  std::vector<std::string> not_known;
};

Verdict judge_stall(const RunTables& run, const Stall& stall);

// "AllReduce #5 on world" and "ranks 0, 2, 3", as all sentences say it.
std::string operation_name(const RunTables& run, const OperationRow& row);
std::string communicator_name(const RunTables& run, uint32_t communicator);
std::string rank_list(const std::vector<int32_t>& ranks);
std::string seconds_text(double seconds);
std::string nanoseconds_text(int64_t ns);  // the same

}  // namespace lockstep::analysis
