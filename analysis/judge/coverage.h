// What a recording does not hold, whatever is asked of it: ranks that were not recorded, operations
// without an end, lost calls, damaged chunks. Called by judge().
#pragma once

#include <vector>

#include "analysis/judge/not_known.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

std::vector<NotKnown> find_gaps(const RunTables& run);

}  // namespace lockstep::analysis
