#include "analysis/export/process_ids.h"

#include <set>

namespace lockstep::analysis {

std::vector<int32_t> viewer_pids(const RunTables& run) {
  std::vector<int32_t> pids;
  std::set<int32_t> taken;
  for (const ProcessRow& process : run.processes) {
    auto pid = static_cast<int32_t>(process.pid % kMostPids);
    while (!taken.insert(pid).second) pid += kMostPids;
    pids.push_back(pid);
  }
  return pids;
}

}  // namespace lockstep::analysis
