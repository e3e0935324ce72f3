// What each operation follows on its rank: the operation that ended last before it, the one before it
// on its own stream, or the last beside that stream. Streams run beside each other, and which waits for
// which is not recorded: a reduction of gradients that happens to end just before a layer does has nothing
// to do with that layer, nor with the gradients of the next. What an operation really waits for, it
// follows at the same distance each time; so at each position that predecessor is taken from which the
// own segments vary less. A kernel that was queued behind the one before it follows that in any case.
#pragma once

#include "analysis/follow/roles.h"

namespace lockstep::analysis {

// Sets Segment::before and own_ns.
void choose_predecessors(const Roles& roles, OwnSegments* own);

}  // namespace lockstep::analysis
