// The sentences and evidence of what blame.h concludes. Called by assign_blame().
#pragma once

#include "analysis/judge/blame.h"
#include "analysis/judge/slow_paths.h"
#include "analysis/judge/stragglers.h"

namespace lockstep::analysis {

// elsewhere: the same processes on other communicators.
Finding straggler_finding(const RunTables& run, const Blame& all, const Straggler& straggler,
                          const std::vector<const RankBlame*>& elsewhere);
Finding slow_path_finding(const RunTables& run, const SlowPath& path);

}  // namespace lockstep::analysis
