// How long collectives usually take on a communicator, by function, size, algorithm and protocol, from
// the run's own undisturbed operations; and which of them took clearly longer. From the last start to
// the last end, by kernel stamps alone: calls run ahead of their kernels and tell nothing of transfers.
// Sends and receives are compared edge by edge (transfer_excess.h) and left out here.
//
// One operation may be slow by chance, so stretches of kStretch are judged by their middle, unless it stands
// still for far longer than chance explains. What is usual is a low quantile of these middles. It is replaced
// where communicators of the same shape are clearly faster, and where a straight line through the other sizes of
// the communicator says less and the next larger size does not take longer either. Linear but for sorting. Pure
// function.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

constexpr size_t kStretch = 8;

// In a stretch that took clearly longer; or not, but it stood still itself.
enum class Slow : uint8_t { No, Stretch, Still };

struct ExpectedTimes {
  std::vector<ExpectedTimeRow> rows;
  // By row of `matches`.
  std::vector<uint32_t> row_of;    // kNoRow: not compared
  std::vector<int64_t> excess_ns;  // beyond what is expected; less than 0 where it took less
  std::vector<Slow> slow;
};

ExpectedTimes find_expected_times(const RunTables& run, const OwnSegments& own);

}  // namespace lockstep::analysis
