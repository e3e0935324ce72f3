// The end of the join of one process: late children find their operation, API calls without a
// launch become rows of their own, calls get their ordinals, GPU stamps their host time, and every
// operation its state. Used by OperationJoin::finish() only.
#pragma once

#include "analysis/join/join_state.h"

namespace lockstep::analysis {

// Leaves `join` without its operations.
ProcessOperations make_rows(JoinState* join, const StringPool& strings,
                            clocksync::GpuPrecision gpu_clocks);

}  // namespace lockstep::analysis
