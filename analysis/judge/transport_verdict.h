// Where data stopped when every rank is inside an operation: what the open network operations and
// kernels of its ranks wait for. A send in the network that never completes accuses its link, and
// several the host that they have in common; a send without credit its peer; a kernel that never began
// its GPU, or what most ranks called before it, if nothing tells when that ended; a rank whose data has
// all come and whose GPU produces nothing itself; on a ring the host that received more than it sent, in
// a tree the one that has all and sends nothing on, and a transfer its ends. Everything else only waits.
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
  std::vector<int32_t> not_begun;  // whose kernels never began where that accuses nobody
  std::vector<uint32_t> before;    // operations that may be why: those of one of them, rows
  bool one_of = false;             // one of these, and which is not known
  int32_t peer = -1;               // the other end of the link
  double confidence = 0;
  std::optional<NotKnownKind> not_known;  // why nobody is accused
  std::vector<Evidence> evidence;
};

// `stall` is one of `together`, the operations of a communicator that stand still for one reason: the
// sends and receives of a group call, perhaps.
TransportVerdict judge_transport(const RunTables& run, const Stall& stall,
                                 const std::vector<const Stall*>& together);

}  // namespace lockstep::analysis
