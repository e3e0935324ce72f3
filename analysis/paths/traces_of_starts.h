// Which of the transfers that seem slow are none: who starts late ends late, and the ends are what tells. Pure
// function.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/paths/transfer_excess.h"

namespace lockstep::analysis {

// Where ranks are late, what only the ends show, but where all started together, may be a trace of that:
// it must be far more than late starts leave behind, and cost far more. Where network steps are recorded and
// are as fast as others', it must be more than these leave behind in any case.
enum class Starts : uint8_t { NobodyIsLate, SomebodyIsLate };

std::vector<TransferExcess> without_traces_of_starts(const RunTables& run, const OwnSegments& own,
                                                     Starts starts,
                                                     std::vector<TransferExcess> all);

}  // namespace lockstep::analysis
