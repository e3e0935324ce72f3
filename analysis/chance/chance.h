// How likely noise alone is to give somebody the occasions that a set of ranks has. Noise makes anybody
// the one who holds the run up, with the same probability; its unit is a trial, a training step or a
// group call, for what befalls a rank within one is not independent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::analysis {

// The longest time that one rank of the set lost the run in a trial, and the longest that one of those it
// is compared with did; 0: nobody.
struct TrialLoss {
  int64_t own_ns = 0, others_ns = 0;
};

// share: what part of all ranks compared the set has. At most 1.
double chance_of(const std::vector<TrialLoss>& trials, double share);

}  // namespace lockstep::analysis
