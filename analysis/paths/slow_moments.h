// When something that is done again and again takes longer than it usually does, for a while at a time:
// a link that is slow in bursts. Single slow ones are anybody's noise. One pure function.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::analysis {

// What one loses at such moments must be so many times what its like typically lose.
constexpr int64_t kTimesTypicalLoss = 4;

struct SlowMoments {
  std::vector<uint32_t> slow, usual;  // indices; both empty: there are no such moments
  int64_t usual_ns = 0;
  int64_t lost_ns = 0;  // at all slow ones
};

// In the order of time.
SlowMoments find_slow_moments(const std::vector<int64_t>& times_ns);

}  // namespace lockstep::analysis
