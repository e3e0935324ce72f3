// Process ids for viewers, which take two processes with one id for one: the real one, and where several hosts have
// it, that of the second host and on raised by a multiple of what Linux gives at most.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

constexpr int32_t kMostPids = 1 << 22;  // PID_MAX_LIMIT

// By process.
inline std::vector<int32_t> viewer_pids(const RunTables& run) {
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
