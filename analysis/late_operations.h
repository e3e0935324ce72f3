// The first half of blame.h: which operations had one rank come clearly last, by how much,
// inherited from where, and whether host or GPU was late.
#pragma once

#include "analysis/blame.h"

namespace lockstep::analysis {

std::vector<LateOperation> find_late_operations(const RunTables& run);

}  // namespace lockstep::analysis
