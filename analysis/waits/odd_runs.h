// Who called something once less, or once more, than it always does in a row: one layer's collective of a model that has
// sixteen alike. What comes before such a call is as at other places, so that only their number tells. A pure function
// of the tables, linear in the operations; asked only about circles.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// By process: whether one of its last calls in a row was of a number that it never was between the same two others.
std::vector<bool> last_runs_odd(const RunTables& run);

}  // namespace lockstep::analysis
