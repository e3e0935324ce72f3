#include "analysis/export/wall_clock.h"

#include <algorithm>

#include "analysis/tables/wall_time.h"

namespace lockstep::analysis {

WallClock::WallClock(const RunTables& run) {
  for (const ProcessRow& process : run.processes) {
    offset_ns_.emplace(clock_key(process), wall_ns(process, 0));
    if (process.first_ns == kNoTime) continue;
    const int64_t first_ns = ns(process, process.first_ns);
    first_ns_ = first_ns_ == 0 ? first_ns : std::min(first_ns_, first_ns);
  }
}

}  // namespace lockstep::analysis
