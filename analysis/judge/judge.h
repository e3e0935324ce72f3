// Why a job hangs, or who slows it down, from the tables of a run that may have been cut at any
// moment or still goes on. For every communicator with an operation that did not end: who is inside,
// who never entered, who entered another operation, what the network operations inside wait for;
// and, where the missing rank is itself stuck in another communicator, the origin. Who is late
// besides (blame.h). What cannot be known from the recording is part of the answer, never guessed.
// Facts only: analysis/say puts them into words. Called by the commands; reads the tables from one
// thread and changes nothing.
#pragma once

#include <memory>
#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/judge/lateness.h"
#include "analysis/judge/not_known.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct FollowedRun;

struct Judgement {
  std::vector<Finding> findings;    // origins before consequences, then the surest first
  std::vector<NotKnown> not_known;  // each gap once
  std::vector<RankBlame> ranks;     // what the stragglers among the findings rest on,
  std::shared_ptr<const FollowedRun> followed;  // and how the run was followed for them,
  // in these tables, row for row as the judged ones; none: in those (analysis/relate/assumed_clocks.h).
  std::shared_ptr<const RunTables> on_assumed_clocks;
};

Judgement judge(const RunTables& run);

}  // namespace lockstep::analysis
