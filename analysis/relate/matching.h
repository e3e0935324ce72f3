// Finds the same operation on its ranks: by communicator, function, ordinal and replay; sends and
// receives by the pair of ranks and the direction. Fills run.matches, run.arrivals or
// run.brief_arrivals (the operation only; arrivals.h adds the rest) and the column `match`, which
// brief rows do not have. Linear in the number of operations but for one sort.
#pragma once

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

template <typename Row = OperationRow>
void match_operations(RunTables* run);

}  // namespace lockstep::analysis
