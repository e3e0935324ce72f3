// Finds the same operation on its ranks: by communicator, function, ordinal and replay; sends and
// receives by the pair of ranks and the direction. Fills run.matches and run.arrivals (the links
// only; arrivals.h adds times) and OperationRow::match. Also turns the sends and receives of gather
// and scatter into assembled operations, which only the view across ranks can tell from plain ones.
// Linear in the number of operations but for one sort.
#pragma once

#include "analysis/run.h"

namespace lockstep::analysis {

void match_operations(RunTables* run);

}  // namespace lockstep::analysis
