// The findings that the blame concludes with, from its numbers. Called by assign_blame().
#pragma once

#include "analysis/follow/role_reference.h"
#include "analysis/judge/finding.h"
#include "analysis/judge/slow_paths.h"
#include "analysis/paths/slow_parts.h"
#include "analysis/whatif/culprits.h"

namespace lockstep::analysis {

// What the accounts of the culprits rest on; all of one run.
struct LatenessTables {
  const RunTables& run;
  const OwnSegments& own;
  const Roles& roles;
  const std::vector<int64_t>& excess_ns;   // by row of `arrivals`
  const std::vector<LateOperation>& late;  // why operations began late
  const std::vector<RankBlame>& ranks;     // by communicator, then rank
};

Finding straggler_finding(const LatenessTables& tables, const Culprit& culprit);
Finding slow_part_finding(const RunTables& run, const OwnSegments& own, const SlowPart& part);
Finding slow_path_finding(const RunTables& run, const SlowPath& path);

// What costs far more leaves traces in others' transfers: of those that cost less than half as much as the worst finding,
// half are right.
void doubt_transfers_beside_worse(std::vector<Finding>* findings);

}  // namespace lockstep::analysis
