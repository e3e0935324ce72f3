// How exactly one knows for how long one rank waited for another. Pure function.
#pragma once

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

// Rows of `arrivals` of one match. By the clocks' error, or less by the ends: of two ranks for which an operation ended
// together who waited was inside so much longer, each by its own clock.
int64_t wait_error_ns(const RunTables& run, const OwnSegments& own, uint32_t waiting,
                      uint32_t last);

}  // namespace lockstep::analysis
