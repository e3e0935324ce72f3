// Work that nobody else shows because everybody else is ahead. Who comes late to the first of several reductions
// for another's lateness, as the rank before a slow stage of a pipeline, computes the gradients for the next
// ones while its peers wait with theirs done: they start those as soon as the stream lets them, and seem to
// need no time at all. So as long as they do, a rank exceeds nothing by less than they were ahead of it.
// Where its own excess put them ahead by as much as it works, they may have done the same work meanwhile: then it is taken to
// exceed what is usual by the part by which it did when they waited first.
#pragma once

#include "analysis/follow/role_reference.h"

namespace lockstep::analysis {

void forgive_leads_of_peers(const RunTables& run, const OwnSegments& own, Excesses* excesses);

}  // namespace lockstep::analysis
