// Two ways of one host that are both slow have one cause: what that host has in common, its way to the
// network. They become one part, with what both cost.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/paths/slow_part.h"

namespace lockstep::analysis {

bool has_ranks_elsewhere(const RunTables& run, Text host);
std::vector<uint32_t> actors_on(const RunTables& run, const OwnSegments& own, Text host);

void join_ways_of_hosts(const RunTables& run, const OwnSegments& own, std::vector<SlowPart>* parts);

}  // namespace lockstep::analysis
