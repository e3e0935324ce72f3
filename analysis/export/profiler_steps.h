// The training steps of a process as PyTorch's profiler has them, one after the other on one thread: as the program
// marked them, else as they were found in what all ranks call (OperationRow::step), each from its first call to the
// next one's. Called by the kineto export; any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct ProfilerStep {
  uint64_t number = 0;                            // as the program or the run numbers them
  int64_t start_ns = kNoTime, stop_ns = kNoTime;  // of the run's axis
  uint32_t tid = 0;
};

// `operations`: the rows of the process.
std::vector<ProfilerStep> profiler_steps(const RunTables& run, uint32_t process,
                                         const std::vector<uint32_t>& operations);

}  // namespace lockstep::analysis
