// Which transfers that seem slow may be as fast as others: stamps of two hosts show them, and by no more than these hosts'
// clocks may be apart. Pure; no I/O.
#pragma once

#include <vector>

#include "analysis/paths/transfer_excess.h"
#include "analysis/whatif/own_segments.h"

namespace lockstep::analysis {

// What was left out of one communicator's transfers, by what costs most.
struct WithinClocks {
  uint32_t communicator = kNoRow;
  int64_t all_ns = 0;    // of all operations
  int64_t shown_ns = 0;  // more than usual, of one
  int64_t error_ns = 0;  // so far apart the clocks may be, either way
};

// Leaves them out of *excesses.
std::vector<WithinClocks> leave_out_within_clocks(const RunTables& run, const OwnSegments& own,
                                                  std::vector<TransferExcess>* excesses);

}  // namespace lockstep::analysis
