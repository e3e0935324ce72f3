// Which of a rank's operations are one trial: what noise does to them, it does once. That is what lies between two
// calls of the kind that it makes most rarely, all through the run. Linear in the operations.
#pragma once

#include "analysis/follow/roles.h"

namespace lockstep::analysis {

// Of one actor: places in OwnSegments::order.
struct RankRows {
  size_t begin = 0, end = 0;
};
std::vector<RankRows> rows_of_ranks(const OwnSegments& own);

// By launch. Launches of one rank with the same number are one trial; ranks count alike.
std::vector<uint32_t> number_trials(const RunTables& run, const OwnSegments& own,
                                    const Roles& roles);

}  // namespace lockstep::analysis
