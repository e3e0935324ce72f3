// When each rank was ready for an operation, how long it waited for the last one, how long the
// transfer took.
//
//   arrival   the moment of the best basis that all ranks of the operation have (ArrivalBasis): the
//   kernel's first GPU
//             stamp, else the proxy thread's first sight of it, else the enqueue, else the call
//   wait      last comparable arrival - own arrival
//   transfer  own finish - last comparable arrival
// Bandwidths are bandwidth.h's.
//
// Comparable: on one clock. Ranks of one host share CLOCK_MONOTONIC_RAW; hosts are comparable only
// when aligned. Where they are not, waits hold within each host and MatchRow::comparable is 0.
#pragma once

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

template <typename Row = OperationRow>
void time_arrivals(RunTables* run);

}  // namespace lockstep::analysis
