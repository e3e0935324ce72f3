// Whose proxy thread sees late what the network has done: on a ring, a rank's. Each step is seen twice, by its sender when
// it is sent and by its receiver when it has come. What a GPU takes to fill or empty a buffer
// is not between these, nor how long the network works on a step. So a receiver that sees steps later than others do has a
// proxy thread that was elsewhere, or a way before it that delays them. Pure; no I/O.
#pragma once

#include <optional>
#include <vector>

#include "analysis/paths/seen_ring.h"
#include "analysis/paths/slow_moments.h"
#include "analysis/paths/transfer_excess.h"
#include "analysis/transfers/transfer_samples.h"

namespace lockstep::analysis {

// Always: it sees what comes late, and what it sent as well, beside the other ranks of the ring. A way that takes long
// shows at the rank behind it, too. seen: all operations. Without `matches`, as the other.
std::optional<TransferExcess> late_proxy(const RingSeries& series, const SeenRing& seen);

// At moments: it sees what comes later than at other times, and nobody else does.
// usual: by edge, gets `uptake_ns`.
std::optional<TransferExcess> late_proxy_at(const RingSeries& series, const SlowMoments& moments,
                                            int64_t took_ns, std::vector<UsualEdge>* usual);

}  // namespace lockstep::analysis
