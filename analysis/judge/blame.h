// Who made the others wait. For every operation: how much later than the others its last rank came,
// less what it inherited from an operation before it (then that one is to blame, on whatever
// communicator: the walk ends at the rank that was late by itself). Then, per rank, whether it is
// late too often and too much to be chance. And from network steps: a rank whose sends take far
// longer than everybody else's (slow link), or whose proxy thread reacts far slower (slow proxy).
// Called by judge(), and by commands that want the causes in the rows. Linear in the operations.
#pragma once

#include <memory>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/judge/lateness.h"
#include "analysis/judge/not_known.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct FollowedRun;

struct Blame {
  std::vector<RankBlame> ranks;
  std::vector<LateOperation> late;
  std::vector<Finding> findings;
  std::vector<SlowerThanExpected> slower;  // whatever the reason
  std::vector<NotKnown> not_known;
  std::shared_ptr<const FollowedRun> followed;  // what the findings about lateness rest on
};

Blame assign_blame(const RunTables& run);
// Fills ArrivalRow::cause and MatchRow::cause, for those who show or export these columns.
void add_causes(RunTables* run);

}  // namespace lockstep::analysis
