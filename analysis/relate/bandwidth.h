// The bandwidth of an operation, one number for all of its ranks:
//
//   algbw = size_bytes / (last end - start);  busbw = algbw * busbw_factor (lockstep/message_size.h)
//
// The last end is that of all ranks. The start is
//   the last arrival  where nobody can be through before everybody came, as nccl-tests time it:
//                     all-reduce, all-gather, reduce-scatter, all-to-all among three ranks or more,
//                     alone in their launch;
//   the first arrival of every other operation: rooted ones, sends and receives, those of two ranks,
//                     those that share a launch with others. There a rank's part can be over, or have
//                     begun, long before another's, so waiting counts: it is never too high.
//
// None (0) where the end is not known: a rank was not recorded, or its end was not; where the ranks
// are on clocks that cannot be compared; and where these err by half of the time or more.
#pragma once

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Fills ArrivalRow::algbw_gbs and busbw_gbs. After time_arrivals().
void rate_operations(RunTables* run);

}  // namespace lockstep::analysis
