// Which GPU holds up what passes through its host, where channels enter and leave hosts at ranks of their own, as with
// an adapter to each GPU. Such a GPU lies on the way of all channels: each takes longer through this host than through
// any other, from when all was received until all is sent. The host's way out would show the same. But what enters
// the host at the slow GPU itself is taken up late there, and nowhere else. Pure; no I/O.
#pragma once

#include <vector>

#include "analysis/paths/transfer_excess.h"
#include "analysis/transfers/transfer_samples.h"

namespace lockstep::analysis {

// channels: those of one communicator's operations of one kind. An excess of each, in their order, without `matches`;
// or none.
std::vector<TransferExcess> excesses_of_gpu(const RunTables& run, const OwnSegments& own,
                                            const std::vector<const RingSeries*>& channels);

}  // namespace lockstep::analysis
