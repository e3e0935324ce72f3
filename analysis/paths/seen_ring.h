// What the edges of a ring show of some operations, and what they usually show.
#pragma once

#include <vector>

#include "analysis/paths/middle.h"
#include "analysis/tables/tables.h"

namespace lockstep::analysis {

// Middles over some of a series' operations.
struct SeenEdge {
  Middle later, lag, wire, work, gpu;
};
struct SeenRing {
  Middle time;
  std::vector<SeenEdge> edges;
  // By network edge: how much later than its sender the receiver of the next network edge is done, so of
  // both edges of the host between them.
  std::vector<Middle> passages;
  int64_t apart_ns = 0;   // what its ranks start apart, usually
  bool together = false;  // `later` was taken where all ranks had started together
};
// What edges usually show; kNoTime: nothing tells.
struct UsualEdge {
  int64_t later_ns = kNoTime, lag_ns = kNoTime, wire_ns = kNoTime, work_ns = kNoTime,
          gpu_ns = kNoTime;
  // `later` of the edges that are not slow, in a ring that has slow ones: below 0.
  int64_t beside_ns = kNoTime;
};

}  // namespace lockstep::analysis
