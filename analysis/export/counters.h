// What a process's operations add up to over time, as steps of a counter for viewers: how many are in flight, and the
// bus bandwidth of those that move data, as the table `arrivals` has it for each. Used by timeline.cc only.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/export/operation_slices.h"

namespace lockstep::analysis {

struct CounterStep {
  uint32_t process = 0;
  int64_t at_ns = 0, value = 0;  // from then on
};

// Both by process, then by time; a step for each time at which something changes.
// Calls captured into a graph and the parts of an assembled operation do not count. The last step of
// what is in flight is where the process was last heard of.
std::vector<CounterStep> operations_in_flight(const RunTables& run, const OperationSpans& spans);
std::vector<CounterStep> bus_bandwidth_mbs(const RunTables& run);  // 1e6 bytes per second

}  // namespace lockstep::analysis
