// Which transfers that seem slow may be as fast as others: stamps of two hosts show them, and by no more than these hosts'
// clocks may be apart. Pure; no I/O.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/paths/transfer_excess.h"

namespace lockstep::analysis {

// Leaves them out of *excesses, whose actors are still both ends of each.
std::vector<WithinClocks> leave_out_within_clocks(const RunTables& run, const OwnSegments& own,
                                                  std::vector<TransferExcess>* excesses);

}  // namespace lockstep::analysis
