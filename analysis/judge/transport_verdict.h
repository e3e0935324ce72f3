// Where data stopped when every rank is inside an operation: what the open network operations and
// kernels of its ranks wait for. A send in the network that never completes accuses its link; a
// send without credit its peer; a kernel that never began its GPU; a rank whose data has all come
// and whose GPU produces nothing itself. Everything else only waits.
#pragma once

#include <optional>
#include <vector>

#include "analysis/judge/evidence.h"
#include "analysis/judge/finding.h"
#include "analysis/judge/not_known.h"
#include "analysis/waits/stalls.h"

namespace lockstep::analysis {

struct TransportVerdict {
  FindingKind kind = FindingKind::StuckInTransport;
  StallClue clue = StallClue::AllWaitForData;
  std::vector<int32_t> culprits;
  int32_t peer = -1;  // the other end of the link
  double confidence = 0;
  std::optional<NotKnownKind> not_known;  // why nobody is accused
  std::vector<Evidence> evidence;
};

TransportVerdict judge_transport(const RunTables& run, const Stall& stall);

}  // namespace lockstep::analysis
