// Operations of several sizes that go round one ring, as if all had the size of the largest: what is slow at
// times, as a link in one training step of five, is slow whatever goes over it. Of a large model's buckets, each
// of another size, there is one in a step; together they show such a step as a moment.
#pragma once

#include <vector>

#include "analysis/transfers/transfer_samples.h"

namespace lockstep::analysis {

struct PooledRing {
  RingSeries series;          // in the order of time, times as of the largest
  std::vector<double> scale;  // by match: what it takes by itself, as a part of that
};

// Those of one function, on one ring, that take about as long. Latency makes short ones vary differently.
std::vector<PooledRing> pool_rings(const RunTables& run,
                                   const std::vector<const RingSeries*>& rings);

}  // namespace lockstep::analysis
