// Whether a culprit may just have more to do at times. Nobody else does the work of a pipeline's stage that
// has no replica, so nothing says how long it should take at a moment: sequences and caches make it vary.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/follow/roles.h"
#include "analysis/whatif/occasions.h"

namespace lockstep::analysis {

// Of a culprit whose work nobody else does, by when its kernels start. In the order of time, within
// [first_ns, last_ns].
struct OwnOccasions {
  uint32_t actor = kNoRow;  // one of its ranks
  const std::vector<Occasion>& occasions;
  int64_t first_ns = 0, last_ns = 0;
};
bool may_be_its_work(const RunTables& run, const OwnSegments& own, const Roles& roles,
                     const Excesses& excesses, const OwnOccasions& culprit);

}  // namespace lockstep::analysis
