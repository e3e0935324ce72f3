// What determined the end of a run: walked back from its last end, over the last start that each
// operation waited for, to the first start. Each piece is a rank's own time or an operation's passage,
// so that together they are the run, and what is long on the path is worth making shorter. Linear in
// the operations, n log n for what could be won. Pure function.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

// Beyond what is usual.
struct PathExcesses {
  const std::vector<int64_t>& own_ns;       // by row of `arrivals`: role_reference.h
  const std::vector<int64_t>& transfer_ns;  // by row of `matches`: expected_times.h
};

std::vector<CriticalPathRow> find_critical_path(const RunTables& run, const OwnSegments& own,
                                                const PathExcesses& excesses);

}  // namespace lockstep::analysis
