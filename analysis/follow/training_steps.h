// Where trials are not training steps. They are less where all that the job calls is alike, as buckets or layers
// of one size, so that no call is the rarest; they are more where the rarest call is made in some steps only.
// Steps may show by the pauses between them, or by how calls repeat. Linear in the operations but for a bounded
// part.
#pragma once

#include "analysis/follow/roles.h"

namespace lockstep::analysis {

// By launch: its training step, from 0 or 1 on; where steps do not show, its trial (trials.h).
std::vector<uint32_t> number_training_steps(const RunTables& run, const OwnSegments& own,
                                            const Roles& roles, std::vector<uint32_t> trials);

}  // namespace lockstep::analysis
