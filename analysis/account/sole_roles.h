// Ranks of which each does what no other does, as the stages of a pipeline, and that do most of what takes the run its time: no
// other rank tells whether they are slow or have more to do. Who is slow at times only shows beside its own other times, and
// who has others of its role beside those (whatif/role_reference.h). Pure function.
#pragma once

#include "analysis/follow/followed_run.h"

namespace lockstep::analysis {

struct SoleRoles {
  std::vector<uint32_t> actors;    // none: no such ranks stand out
  uint32_t communicator = kNoRow;  // of their longest work on the critical path
  int64_t share_percent = 0;       // of the run's time that is their work on that path
};

SoleRoles find_sole_roles(const RunTables& run, const FollowedRun& followed);

}  // namespace lockstep::analysis
