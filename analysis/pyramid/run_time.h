// Run time: nanoseconds since the run's first record, the same for every rank, which is what the viewer
// shows and asks in. On the run's common clock where all hosts are on one; otherwise hosts are placed by
// their wall clocks, which is good for looking and for nothing else. Any thread.
#pragma once

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

class RunTime {
 public:
  // Since the first record that these tables have.
  explicit RunTime(const RunTables& run);
  // Since an instant that another RunTime of the same run gave, for tables of a part of it.
  RunTime(const RunTables& run, int64_t origin_ns);

  // The run's time axis where it is aligned, else CLOCK_REALTIME.
  int64_t origin_ns() const { return origin_ns_; }
  // CLOCK_REALTIME, by the clock of one host; 0 where that is not known.
  int64_t origin_unix_ns() const;
  // Of an instant on the axis of that process; kNoTime stays.
  int64_t at(uint32_t process, int64_t axis_ns) const {
    if (axis_ns == kNoTime || process >= later_ns_.size()) return kNoTime;
    return axis_ns + later_ns_[process];
  }

 private:
  const RunTables* run_;
  int64_t origin_ns_ = 0;
  std::vector<int64_t> later_ns_;  // by process: run time minus its axis
};

}  // namespace lockstep::analysis
