// Whose proxy thread sees late what the network has done: on a ring, a rank's. Each step is seen twice, by its sender when
// it is sent and by its receiver when it has come. What a GPU takes to fill or empty a buffer
// is not between these, nor how long the network works on a step. So a receiver that sees steps later than others do has a
// proxy thread that was elsewhere, or a way before it that delays them.
//
// What has come it makes visible to its GPU, and looks whether that is done when it comes round again. So how long that
// takes says how long the thread takes to come round, whatever the algorithm. Pure; no I/O.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "analysis/paths/seen_ring.h"
#include "analysis/paths/slow_moments.h"
#include "analysis/paths/slow_part.h"
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

// By communicator: the proxy thread that takes far longer to come round than all others. Needs network steps.
std::map<uint32_t, LateRounds> find_late_rounds(const RunTables& run);

// Names it where transfers that it takes part in are slow, or a tree of that communicator is.
void name_late_rounds(const RunTables& run, const OwnSegments& own, std::vector<SlowPart>* parts);

// Names the one that is late at times, where that makes up most of what a receiver costs: what waits behind it along a ring
// sees what comes late as well.
void name_late_spells(const RunTables& run, const OwnSegments& own, std::vector<SlowPart>* parts);

}  // namespace lockstep::analysis
