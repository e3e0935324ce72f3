#include "analysis/whatif/pause.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

// So many times what anybody comes late by at any other moment: noise has long tails, but its two worst
// moments are rarely so far apart.
constexpr int64_t kTimesOthers = 4;

// A rank that stands still is late on each of its streams: whether most of the pause lies in this own segment.
bool lies_in(const Segment& pause, int64_t pause_ns, const Segment& segment) {
  const int64_t from_ns = std::max(pause.start_ns - pause_ns, segment.start_ns - segment.own_ns);
  return 2 * (std::min(pause.start_ns, segment.start_ns) - from_ns) > pause_ns;
}

}  // namespace

int64_t gain_without_pause(const RunTables& run, const OwnSegments& own,
                           const std::vector<int64_t>& excess_ns, uint32_t arrival) {
  const Segment& pause = own.segments[arrival];
  std::vector<int64_t> of_pause_ns(excess_ns.size());
  for (const uint32_t a : own.order) {
    const Segment& segment = own.segments[a];
    if (segment.before == kNoRow) continue;
    if (segment.actor == pause.actor && lies_in(pause, excess_ns[arrival], segment)) {
      of_pause_ns[a] = excess_ns[a];
    } else if (excess_ns[a] * kTimesOthers > excess_ns[arrival]) {
      return 0;
    }
  }
  std::vector<uint8_t> cured(own.actors.size());
  cured[pause.actor] = 1;
  return WhatIf(run, own, of_pause_ns).gain_ns(cured);
}

}  // namespace lockstep::analysis
