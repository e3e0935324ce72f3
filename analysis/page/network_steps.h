// What the network did for the operations of a few ranks in a short time, for the page's timeline: network operations (of the
// proxy threads) by channel and direction, and their steps. Reads the recording again, for that time only; memory is
// that of the rows that are kept and of what is open at one time. Any thread.
#pragma once

#include <functional>
#include <vector>

#include "analysis/load/stream_process.h"
#include "analysis/pyramid/run_time.h"

namespace lockstep::analysis {

struct NetworkQuestion {
  std::function<bool(int32_t)> wants_rank;  // of a process, as in `processes`
  int64_t from_ns = 0, to_ns = 0;           // run time
  size_t most = 0;                          // network operations, and steps; of more the longest
};

struct NetworkOperation {
  EventRow event;
  uint32_t operation = kNoRow;  // that it works for; an assembled one rather than its parts
};

struct NetworkStep {
  uint32_t network_operation = 0;  // in NetworkSteps::operations
  ProxyStepRow row;
};

struct NetworkSteps {
  // By rank, channel and direction (sends first), then by time.
  std::vector<NetworkOperation> operations;
  std::vector<NetworkStep> steps;  // by network operation, then by time
  // More than `most`, and steps whose network operation is not among these or began too early to be read.
  uint64_t operations_left_out = 0, steps_left_out = 0;
  // Whether all these ranks recorded such events when they began.
  bool operations_recorded = true, steps_recorded = true;
};

// What is in flight between the two instants. It is read from where the earliest operation of a rank in flight there was
// called to where the last one ended, and no more than this around the question.
constexpr int64_t kMostAroundStepsNs = 10'000'000'000;
Result<NetworkSteps> find_network_steps(const ExportInput& input, const RunTime& time,
                                        const NetworkQuestion& question);

}  // namespace lockstep::analysis
