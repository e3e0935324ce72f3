// All of a run's operations, each after the one that it follows, what its ranks do alike, and how much
// longer than usual each took to come. Made once by the blame; then only read.
#pragma once

#include "analysis/follow/role_reference.h"

namespace lockstep::analysis {

struct FollowedRun {
  OwnSegments own;
  Roles roles;
  Excesses excesses;
};
FollowedRun follow_run(const RunTables& run);

}  // namespace lockstep::analysis
