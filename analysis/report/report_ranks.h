// summary/rank-N.md: what one rank of the busiest communicator did, beside the other ranks of it. A figure far from the
// others' (report_spread.h) is flagged.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/report/report_data.h"

namespace lockstep::analysis {

// File names and texts; none in a run of one rank, which summary.md tells all of.
std::vector<std::pair<std::string, std::string>> rank_summaries(const Report& report);

}  // namespace lockstep::analysis
