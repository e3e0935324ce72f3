// Wall-clock time for formats with a file per process whose readers compare files: all processes that share a
// clock (clock_key()) get the wall clock of one of them, so that files differ as the run's axis says and not as
// the hosts' wall clocks do. Hosts that are not aligned keep their own. One thread builds it; then any.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "analysis/tables/run_tables.h"
#include "analysis/tables/wall_time.h"

namespace lockstep::analysis {

class WallClock {
 public:
  explicit WallClock(const RunTables& run);

  // CLOCK_REALTIME of a time of the process's axis.
  int64_t ns(const ProcessRow& process, int64_t axis_ns) const {
    return axis_ns + offset_ns_.at(clock_key(process));
  }
  // Of the run's first record; 0 when nothing was recorded.
  int64_t first_ns() const { return first_ns_; }

 private:
  std::map<uint64_t, int64_t> offset_ns_;  // wall clock minus axis, by clock_key()
  int64_t first_ns_ = 0;
};

inline WallClock::WallClock(const RunTables& run) {
  for (const ProcessRow& process : run.processes) {
    offset_ns_.emplace(clock_key(process), wall_ns(process, 0));
    if (process.first_ns == kNoTime) continue;
    const int64_t first_ns = ns(process, process.first_ns);
    first_ns_ = first_ns_ == 0 ? first_ns : std::min(first_ns_, first_ns);
  }
}

}  // namespace lockstep::analysis
