// Why a job hangs, or who slows it down, from its recordings, cut at any moment, also while it
// runs. For every communicator with an operation that did not end: who is inside, who never
// entered, who entered another operation, what the network operations inside wait for; and, where
// the missing rank is itself stuck in another communicator, the origin. What cannot be known from
// the recording is said, never guessed. Called by `lockstep diagnose` and the report.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/blame.h"
#include "analysis/judge/finding.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct Diagnosis {
  std::vector<Finding> findings;       // origins before consequences, then the surest first
  std::vector<std::string> not_known;  // sentences
  Blame blame;                         // what the stragglers among the findings rest on
};

Diagnosis diagnose(const RunTables& run);

}  // namespace lockstep::analysis
