// From the facts of one stall to a finding: the rules in order, each sure enough to stop the
// search. Dead processes first (nothing else matters then), then other operations, other sizes,
// missing ranks, and only when everybody is inside, the network operations. Used by judge().
#pragma once

#include <optional>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/judge/not_known.h"
#include "analysis/judge/stalls.h"

namespace lockstep::analysis {

struct Verdict {
  std::optional<Finding> finding;  // none: too early to tell, or nothing wrong
  std::vector<NotKnown> not_known;
};

Verdict judge_stall(const RunTables& run, const Stall& stall);

}  // namespace lockstep::analysis
