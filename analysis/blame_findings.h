// The sentences and evidence of what blame.h concludes. Called by assign_blame().
#pragma once

#include "analysis/blame.h"
#include "analysis/slow_paths.h"

namespace lockstep::analysis {

// share: of the communicator's lateness that is this rank's. elsewhere: the same process on other
// communicators.
Finding straggler_finding(const RunTables& run, const Blame& all, const RankBlame& blame,
                          double share, const std::vector<const RankBlame*>& elsewhere);
Finding slow_path_finding(const RunTables& run, const SlowPath& path);

}  // namespace lockstep::analysis
