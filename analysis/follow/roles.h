// What the ranks do alike, so that each is compared only with ranks that do the same work.
//
// What is called: function, size, ranks of the communicator, where the peer is (peers.h). Where sizes are another
// each time, as when tokens choose their experts or sequences differ in length, no size is said: the place
// among the other calls says what it is. Ranks that then have more to move than others, time after time,
// do other work than these.
// Calls that are alike in all of that, and are all that ranks call, are told apart by when they come (rhythm.h).
// Role: what a rank calls after what, and what roles its peers of sends and receives have,
// and theirs. So the stages of a pipeline have a role each, the replicas of one stage share theirs, and no
// numbering of ranks matters.
// Position: the operations called just before, so many of them as `context` says.
// Linear in the operations.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

struct Roles {
  std::vector<uint64_t> call;  // by row of `arrivals`: what is called
  std::vector<uint64_t> role;  // by actor
};

Roles find_roles(const RunTables& run, const OwnSegments& own);

// Contexts worth trying, from the most exact to the least; with fewer rows at a position than
// kFewestAtPosition it is taken less exactly.
constexpr unsigned kContexts[] = {8, 2, 1};
constexpr size_t kFewestAtPosition = 8;

// By row of `arrivals`; the same number on ranks of the same role at the same place of the step.
std::vector<uint64_t> positions_of(const OwnSegments& own, const Roles& roles, unsigned context);

}  // namespace lockstep::analysis
