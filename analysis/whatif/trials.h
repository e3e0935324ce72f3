// Which of a rank's operations are one trial: what noise does to them, it does once. That is what lies between two
// calls of the kind that it makes most rarely. Where all that it calls is alike that is less than a training step,
// which may show by the pauses between steps or by how calls repeat. Linear in the operations but for a bounded part.
#pragma once

#include "analysis/whatif/roles.h"

namespace lockstep::analysis {

// By launch. Launches of one rank with the same number are one trial, or in one training step; ranks count alike.
std::vector<uint32_t> number_trials(const RunTables& run, const OwnSegments& own,
                                    const Roles& roles);
std::vector<uint32_t> number_training_steps(const RunTables& run, const OwnSegments& own,
                                            const Roles& roles);

}  // namespace lockstep::analysis
