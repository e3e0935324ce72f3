// The first half of the blame (blame.h): which operations had one rank come clearly last, by how much,
// inherited from where, and whether host or GPU was late.
#pragma once

#include <vector>

#include "analysis/judge/lateness.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Whether the arrivals of its ranks can be compared at all.
bool can_be_late(const RunTables& run, const MatchRow& match);
std::vector<LateOperation> find_late_operations(const RunTables& run);

}  // namespace lockstep::analysis
