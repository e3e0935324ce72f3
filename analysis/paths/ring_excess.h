// Which edges of a ring are slow, by when its ranks are done, and what that costs each operation.
//
// A ring ends everywhere at nearly the same time, but not quite: the data that a rank receives last has
// not crossed the rank's own outgoing edge in its last round. So behind a slow edge the ranks are done
// later than the one before it, by what one passage costs more. And what a receiver is done with much
// later than its sender knew of its arrival is held up at the receiver.
#pragma once

#include <vector>

#include "analysis/paths/seen_ring.h"
#include "analysis/paths/transfer_excess.h"
#include "analysis/transfers/transfer_samples.h"

namespace lockstep::analysis {

// more_ns: by how much the operations, or at least this channel of them, are longer than usual; 0: not known.
// Without `matches`.
std::vector<TransferExcess> excesses_of_ring(const RunTables& run, const RingSeries& series,
                                             const SeenRing& seen,
                                             const std::vector<UsualEdge>& usual, int64_t more_ns);

}  // namespace lockstep::analysis
