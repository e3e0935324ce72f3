// How likely noise alone is to make a ring slow at the moments at which it is. Congestion makes any edge slow
// now and then, for as long as the operations of a training step take, so that a step is one occasion. A fault
// shows the same edge most each time, and often lasts for some steps; noise shows now this edge and now that,
// in steps that lie anywhere. One pure function.
#pragma once

#include <vector>

#include "analysis/paths/ring_excess.h"

namespace lockstep::analysis {

// Who shows so much of the most at some time may be the one that is slow.
constexpr double kNearlyMost = 0.8;
// Congestion would give any edge the moments of one that is slow at times less often than this.
constexpr double kMostChanceOfMoments = 0.07;

// Of an excess that excesses_of_ring() found in the operations `slow` of the ring, by what shows it.
// usual: what the edges usually show; step_of: by row of `matches`. 0 where no other edge is like its own;
// at most 1.
double chance_of_moments(const RingSeries& series, const TransferExcess& found,
                         const std::vector<UsualEdge>& usual, const std::vector<uint32_t>& slow,
                         const std::vector<uint32_t>& step_of);

}  // namespace lockstep::analysis
