// When each rank was in operations, waited in them, and made others wait: intervals of the run's time axis, from the
// tables. What tiles.h makes its cells of. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// When the run's first record was made and its last sign of life, on the run's time axis; equal and 0 where it has none.
struct RunSpan {
  int64_t from_ns = 0, to_ns = 0;
};
RunSpan span_of(const RunTables& run);

struct Interval {
  int64_t from_ns = 0, to_ns = 0;
};
// Sorts them and makes one of those that touch.
void unite(std::vector<Interval>* intervals);

struct RankTimes {
  std::vector<Interval> busy, waiting, caused;
  std::vector<Interval> recorded;  // from a process's first to its last sign of life
  bool lost = false;               // calls of its were counted and not recorded
};

// The rank that an operation is shown at: of its process in the largest communicator, or its own where a process has
// several ranks of one communicator and this one is the largest. -1: not known.
class ShownRanks {
 public:
  explicit ShownRanks(const RunTables& run);
  int32_t of(const OperationRow& operation) const;

 private:
  const RunTables& run_;
  int32_t largest_ = 0;
  std::vector<bool> several_;  // by process
};

// Until when an operation of this rank was in flight: its end; the end of the recording where it has none although it
// began; kNoTime where nothing recorded tells.
int64_t in_flight_until(const RunTables& run, const OperationRow& operation);

// By rank; processes of unknown rank are left out.
std::map<int32_t, RankTimes> rank_times(const RunTables& run, const RunSpan& span);

}  // namespace lockstep::analysis
