// Operations that end on a rank before the last of its match has started, and yet late: a Reduce passes data
// along a chain, and a rank in front of one that still waits elsewhere can hand on nothing. It is held up
// by somebody who came after it, if not by the last. A send that stands behind an earlier one in the buffers is held
// up by the receive of that one.
#pragma once

#include "analysis/follow/roles.h"

namespace lockstep::analysis {

// Sets Segment::held_by and by_itself_ns.
void find_held_ends(const RunTables& run, const Roles& roles, OwnSegments* own);

}  // namespace lockstep::analysis
