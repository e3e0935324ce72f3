// Calls that are all alike, told apart by when they come. Where ranks call nothing else, as a job that reduces all its
// gradients in buckets of one size, no call says where in the training step it is; but how long the ranks work before each
// does: it is the same again after so many calls. Pure; linear in the operations.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

// By row of `arrivals`: the place of its call in such a round, from 1; 0: there is none.
std::vector<uint32_t> places_in_rounds(const RunTables& run, const OwnSegments& own,
                                       const std::vector<uint64_t>& calls);

}  // namespace lockstep::analysis
