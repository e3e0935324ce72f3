// All ranks of a host that are accused one by one, each for about as much: they have one cause in common. They need not be
// late at the same moments, as a host without enough processors holds up now this rank and now that. Pure function.
#pragma once

#include <vector>

#include "analysis/whatif/culprits.h"

namespace lockstep::analysis {

// Hosts as sets_of_ranks() has them.
void merge_whole_hosts(const RunTables& run, const OwnSegments& own, std::vector<Culprit>* found);

}  // namespace lockstep::analysis
