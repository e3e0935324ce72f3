// How long a GPU takes to empty the buffers that its rank's proxy thread has received. Pure function.
#pragma once

#include <cstdint>

#include "analysis/tables/tables.h"

namespace lockstep::analysis {

// A buffer, on average over all that the rank receives in an operation; kNoTime: its network steps are not known.
// late_ns: so much later than its sender's its kernel began. What had come before waited for that, not for the GPU.
int64_t emptying_ns(const OperationRow& receiver, int64_t late_ns);

}  // namespace lockstep::analysis
