// Which of a rank's operations are one trial: what noise does to them, it does once. That is a training step
// where steps show, by what is called or by the pauses between; else what lies between two calls of a kind.
// Linear in the operations but for a bounded part.
#pragma once

#include "analysis/whatif/roles.h"

namespace lockstep::analysis {

// By launch. Launches of one rank with the same number are one trial; ranks count alike.
std::vector<uint32_t> number_trials(const RunTables& run, const OwnSegments& own,
                                    const Roles& roles);

}  // namespace lockstep::analysis
