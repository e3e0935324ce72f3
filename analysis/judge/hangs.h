// Why a job stands still: one finding for each cause in the graph of who waits for whom, with what
// follows from it inside. Used by judge(); reads the tables from one thread and changes nothing.
#pragma once

#include <vector>

#include "analysis/judge/finding.h"
#include "analysis/judge/not_known.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct Hangs {
  std::vector<Finding> findings;  // the surest first
  std::vector<NotKnown> not_known;
};

Hangs judge_hangs(const RunTables& run);

}  // namespace lockstep::analysis
