// Process ids for viewers, which take two processes with one id for one: the real one, and where several hosts have
// it, that of the second host and on raised by a multiple of what Linux gives at most.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

constexpr int32_t kMostPids = 1 << 22;  // PID_MAX_LIMIT

std::vector<int32_t> viewer_pids(const RunTables& run);  // by process

}  // namespace lockstep::analysis
