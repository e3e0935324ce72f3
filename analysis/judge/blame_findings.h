// The findings that the blame concludes with, from its numbers. Called by assign_blame().
#pragma once

#include "analysis/judge/finding.h"
#include "analysis/judge/slow_paths.h"
#include "analysis/judge/stragglers.h"

namespace lockstep::analysis {

// late: of all ranks. elsewhere: the same processes on other communicators.
Finding straggler_finding(const RunTables& run, const std::vector<LateOperation>& late,
                          const Straggler& straggler,
                          const std::vector<const RankBlame*>& elsewhere);
Finding slow_path_finding(const RunTables& run, const SlowPath& path);

}  // namespace lockstep::analysis
