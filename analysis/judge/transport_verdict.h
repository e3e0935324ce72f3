// Where data stopped when every rank is inside an operation: what the open network operations and
// kernels of its ranks wait for. A send in the network that never completes accuses its link; a
// send without credit its peer; a kernel that never began its GPU; a rank whose data has all come
// and whose GPU produces nothing itself. Everything else only waits.
#pragma once

#include <string>
#include <vector>

#include "analysis/judge/stalls.h"

namespace lockstep::analysis {

struct TransportVerdict {
  const char* kind = "stuck_in_transport";
  std::vector<int32_t> culprits;
  double confidence = 0;
  std::string text, not_known;
  std::vector<std::string> evidence;
};

TransportVerdict judge_transport(const RunTables& run, const Stall& stall);

}  // namespace lockstep::analysis
