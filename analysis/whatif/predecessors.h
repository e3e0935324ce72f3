// What each operation follows on its rank: the operation that ended last before it, or the one before it
// on its own stream. Streams run beside each other, and which waits for which is not recorded: a
// reduction of gradients that happens to end just before a layer does has nothing to do with that
// layer. What an operation really waits for, it follows at the same distance each time; so at each
// position that predecessor is taken from which the own segments vary less.
#pragma once

#include "analysis/whatif/roles.h"

namespace lockstep::analysis {

// Sets Segment::before and own_ns.
void choose_predecessors(const Roles& roles, OwnSegments* own);

}  // namespace lockstep::analysis
