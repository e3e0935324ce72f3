// What the clock model says of each host's clock over the run, as counters for viewers: how exact it is, how far it
// went from where it began, and how fast it goes, the latter two with their guaranteed band. Used by timeline.cc only.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "analysis/export/operation_slices.h"
#include "analysis/export/timeline_sink.h"

namespace lockstep::analysis {

struct ClockCounter {
  Text host = 0;
  std::string name;
  CounterUnit unit = CounterUnit::Nanoseconds;
  std::vector<std::pair<int64_t, int64_t>> points;  // time on the run's axis, value
};

// Of each host in the model, within the bounds: a model's points may lie far before the first record.
std::vector<ClockCounter> clock_counters(const RunTables& run, const OperationSpan& bounds);

}  // namespace lockstep::analysis
