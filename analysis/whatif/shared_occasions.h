// Whether the ranks of a set are late together, or some now and others then: the noise of ranks that wait
// for each other adds up as if it were that of all of them. Pure function.
#pragma once

#include <vector>

#include "analysis/follow/role_reference.h"

namespace lockstep::analysis {

// One time that a culprit held the run up.
struct Occasion {
  uint32_t arrival = kNoRow;  // row: the operation it came late to
  int64_t excess_ns = 0;
  int64_t waited_ns = 0;  // the longest wait of another rank, there or in what it came late to next
};

// Where the set held the run up most of its ranks were late. `actors`: of the set, sorted.
bool share_occasions(const RunTables& run, const OwnSegments& own, const Excesses& excesses,
                     const std::vector<uint32_t>& actors, const std::vector<Occasion>& occasions);

}  // namespace lockstep::analysis
