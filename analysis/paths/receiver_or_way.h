// Whether what a receiver is done with late is its own doing. Sockets take a copy of what is sent, and the send is done:
// what a slow way delays after that is late at the receiver alone, as with a slow proxy thread there. But such a thread is
// late to see that its own sends are done as well, so that those seem to be received early. Pure; no I/O.
#pragma once

#include <vector>

#include "analysis/paths/seen_ring.h"
#include "analysis/paths/transfer_excess.h"
#include "analysis/transfers/transfer_samples.h"

namespace lockstep::analysis {

// Network steps tell how long the receiver's GPU takes to empty a buffer.
SlowSide receiver_side(const SeenEdge& seen, const UsualEdge& usual);

// A receiver sees its sends as late as its receives, by a part.
bool sees_its_sends_late(const RingSeries& series, const SeenRing& seen,
                         const std::vector<UsualEdge>& usual, const TransferExcess& receiver);

// Of those of one ring: receivers that see their sends in time become ways. What takes but little longer
// goes, unless the receiver sees its sends late, too.
void tell_ways_from_receivers(const RingSeries& series, const SeenRing& seen,
                              const std::vector<UsualEdge>& usual,
                              std::vector<TransferExcess>* excesses);

// The last ranks of a host are done late where they wait for room on the way out, if no network steps tell that this is fast:
// then it is named for them, once. That its host's clock shows.
void name_ways_out(const RingSeries& series, const SeenRing& seen,
                   std::vector<TransferExcess>* excesses);

}  // namespace lockstep::analysis
