// What could be won where the critical path leads: by how much the run would be shorter had a rank, a
// host's ranks or all ranks never taken longer than usual, or a communicator's transfers, or all. Each by
// a replay of the whole run (what_if.h), so that other ways which are nearly as long are counted; that
// is linear in the operations, so only those with most excess on the path are replayed. Pure function.
#pragma once

#include <vector>

#include "analysis/account/critical_path.h"

namespace lockstep::analysis {

std::vector<PathGainRow> find_path_gains(const RunTables& run, const OwnSegments& own,
                                         const PathExcesses& excesses,
                                         const std::vector<CriticalPathRow>& path);

}  // namespace lockstep::analysis
