// Which sends take longer than others like them, of function, size and how they began: between hosts, where a chain's
// edges count as sends, and inside a host, where only a GPU can be told to be slow, by all that it exchanges with others. What
// is slow at times only is compared with its own other times. Pure; no I/O.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/paths/transfer_excess.h"
#include "analysis/transfers/transfer_samples.h"

namespace lockstep::analysis {

struct SlowSends {
  std::vector<TransferExcess> excesses;
  std::set<std::pair<uint32_t, uint32_t>> compared;  // sender and receiver, slow or not
};
SlowSends find_slow_sends(const RunTables& run, const OwnSegments& own,
                          const std::vector<PairSeries>& all);

}  // namespace lockstep::analysis
