// What making one place of the critical path shorter gains: it is limited by the next longest way through
// the run. Where a rank is late, all that it begins after that is late with it; so a rank's lateness at
// one moment is taken away from every operation that waits for it then.
//
// The run is the max-plus system of what_if.h as a graph: starts, the passage of an operation from its
// last start to its ends, and ends. In an order in which every arc leads forward, each way through
// the run crosses a cut between two neighbours exactly once. So the run without the excess of some arcs
// of a cut takes as long as the longest of the cut's arcs, each with the longest way before and behind
// it, and less its excess if it is one of them. One sweep answers all places: n log n in the operations.
// Pure function; one thread.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

// A place of the path, and by how much it might be shorter.
struct PathPlace {
  PathPart part = PathPart::Own;
  uint32_t row = kNoRow;  // Own: of `arrivals`, before which it lies; Transfer: of `matches`
  int64_t excess_ns = 0;
};

// By place: how much shorter the run is when that place alone is shorter by its excess. own_excess_ns: by
// row of `arrivals`.
std::vector<int64_t> gains_of_places(const RunTables& run, const OwnSegments& own,
                                     const std::vector<int64_t>& own_excess_ns,
                                     const std::vector<PathPlace>& places);

}  // namespace lockstep::analysis
