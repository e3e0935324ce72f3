// The collectives of a run as evidence about its clocks: extracts from the tables what happened
// before what, and counts how often a model contradicts it. Offline, one thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/load/run.h"
#include "clocksync/record/clock_model.h"
#include "clocksync/solve/collective_bounds.h"

namespace lockstep::analysis {

struct Causality {
  uint64_t checked = 0;          // pairs of hosts, summed over the operations
  uint64_t violated_before = 0;  // with the hosts' raw clocks side by side
  uint64_t violated_after = 0;   // with the model's estimate
  uint64_t beyond_interval = 0;  // even with the model's guaranteed interval: a proof of an error
  uint64_t unaligned = 0;        // not checked after: a host has no global time
  int64_t worst_after_ns = 0;    // the largest violation of the estimate
};

// All happens-before pairs between different hosts; `hosts` are the model's host names, sorted.
// Only operations of unaligned tables: their times are raw clocks.
std::vector<clocksync::HappensBefore> collect_happens_before(const RunTables& raw_run,
                                                             const std::vector<std::string>& hosts);

Causality check_causality(const clocksync::ClockModel& model,
                          const std::vector<clocksync::HappensBefore>& observations);

// The same for each pair of hosts that the observations are of; a and b by number in the model, a < b.
struct PairCausality {
  uint32_t a = 0, b = 0;
  Causality counts;
};
std::vector<PairCausality> check_pairs(const clocksync::ClockModel& model,
                                       const std::vector<clocksync::HappensBefore>& observations);

}  // namespace lockstep::analysis
