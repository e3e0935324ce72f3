// Work that goes on while its rank waits: the gradients of a layer are computed while those of the layer
// above are reduced. Who waits there for a late rank has little left to do afterwards, and so seems to work
// less than who waits for nobody; and the late rank, which comes later each time, seems to lose at every
// operation all that it lost since the first. Such work takes its time from the start of the operation
// beside it, whenever that ends. So at each position it is found out which of the two varies less.
#pragma once

#include "analysis/follow/role_reference.h"

namespace lockstep::analysis {

// Where work is overlapped, nobody exceeds what is usual by more than from that start on.
void bound_by_intervals(const RunTables& run, const OwnSegments& own, const Roles& roles,
                        Excesses* excesses);

}  // namespace lockstep::analysis
