#include "analysis/pyramid/run_time.h"

#include <algorithm>

#include "analysis/tables/wall_time.h"

namespace lockstep::analysis {

RunTime::RunTime(const RunTables& run) : RunTime(run, 0) {
  int64_t first_ns = kNoTime;
  for (uint32_t i = 0; i < run.processes.size(); ++i) {
    const int64_t begins_ns = at(i, run.processes[i].first_ns);
    if (begins_ns == kNoTime) continue;
    first_ns = first_ns == kNoTime ? begins_ns : std::min(first_ns, begins_ns);
  }
  if (first_ns != kNoTime) *this = RunTime(run, first_ns);
}

RunTime::RunTime(const RunTables& run, int64_t origin_ns) : run_(&run), origin_ns_(origin_ns) {
  for (const ProcessRow& process : run.processes)
    later_ns_.push_back((run.aligned ? 0 : wall_ns(process, 0)) - origin_ns);
}

int64_t RunTime::origin_unix_ns() const {
  if (!run_->aligned) return origin_ns_;
  const auto& all = run_->processes;
  const auto found = std::find_if(all.begin(), all.end(), knows_wall_time);
  return found == all.end() ? 0 : wall_ns(*found, origin_ns_);
}

}  // namespace lockstep::analysis
