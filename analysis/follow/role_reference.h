// How long an own segment usually is: the reference is taken over all ranks of the same role and all
// training steps, at the same position of the step, so that a rank is compared only with ranks that do
// the same work. Linear in the operations but for sorting them.
#pragma once

#include <vector>

#include "analysis/follow/roles.h"

namespace lockstep::analysis {

// What is usual is a low quantile: it holds where nearly two thirds of the ranks are slow.
constexpr double kRoleReference = 0.35;

struct Excesses {
  // By row of `arrivals`: own segment beyond its reference, 0 at least; of rows that follow nothing, how
  // late their rank began.
  std::vector<int64_t> ns;
  // By launch: its training step, or its trial where steps do not show (training_steps.h).
  std::vector<uint32_t> trial;
  // By actor: ranks of its role are on several hosts, so that what holds up all of them at a moment is nobody's.
  std::vector<uint8_t> spread;
  std::vector<uint8_t> alone;  // by actor: nobody else has its role; compared with itself over time
};

Excesses measure_excesses(const RunTables& run, const OwnSegments& own, const Roles& roles);

}  // namespace lockstep::analysis
