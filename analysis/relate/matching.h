// Finds the same operation on its ranks: by communicator, function, ordinal and replay; sends and
// receives by the pair of ranks and the direction. Fills run.matches and run.arrivals (the links
// only; arrivals.h adds times) and the rows' column `match`. Linear in the number of operations but for
// one sort.
#pragma once

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

template <typename Row = OperationRow>
void match_operations(RunTables* run);

}  // namespace lockstep::analysis
