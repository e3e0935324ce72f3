// Ranks that may have one cause in common: those of a host, and the members of a communicator. Of all ranks
// at most half, for the rest are their measure. Where they wait for others by clocks that nothing connects, what those
// lose by the whole of them is not known, and they are left out. One pure function, linear in members and operations.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

struct RankSet {
  std::vector<uint32_t> actors;  // sorted, two at least
  bool host = false;             // they are those of a host
};

// active: by actor, whether it takes part. Each set once, hosts first.
std::vector<RankSet> sets_of_ranks(const RunTables& run, const OwnSegments& own,
                                   const std::vector<uint8_t>& active);

}  // namespace lockstep::analysis
