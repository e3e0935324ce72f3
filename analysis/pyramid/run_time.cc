#include "analysis/pyramid/run_time.h"

#include <algorithm>

#include "analysis/tables/wall_time.h"

namespace lockstep::analysis {

RunTime::RunTime(const RunTables& run) : run_(&run) {
  int64_t first_ns = kNoTime;
  for (const ProcessRow& process : run.processes) {
    if (process.first_ns == kNoTime) continue;
    const int64_t begins_ns = shared(process, process.first_ns);
    first_ns = first_ns == kNoTime ? begins_ns : std::min(first_ns, begins_ns);
  }
  if (first_ns != kNoTime) origin_ns_ = first_ns;
}

int64_t RunTime::shared(const ProcessRow& process, int64_t axis_ns) const {
  return run_->aligned ? axis_ns : wall_ns(process, axis_ns);
}

int64_t RunTime::origin_unix_ns() const {
  if (!run_->aligned) return origin_ns_;
  const auto& all = run_->processes;
  const auto found = std::find_if(all.begin(), all.end(), knows_wall_time);
  return found == all.end() ? 0 : wall_ns(*found, origin_ns_);
}

int64_t RunTime::at(uint32_t process, int64_t axis_ns) const {
  if (axis_ns == kNoTime || process >= run_->processes.size()) return kNoTime;
  return shared(run_->processes[process], axis_ns) - origin_ns_;
}

}  // namespace lockstep::analysis
