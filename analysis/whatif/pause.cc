#include "analysis/whatif/pause.h"

#include <algorithm>
#include <set>

#include "analysis/whatif/shared_occasions.h"

namespace lockstep::analysis {
namespace {

// So many times what anybody holds the run up by at any other moment: noise has long tails, but its two worst
// moments are rarely so far apart.
constexpr int64_t kTimesOthers = 4;
// Ranks that stand still together are late by no less than such a part of the latest.
constexpr int64_t kPartOfPause = 2;

// A rank that stands still is late on each of its streams: whether most of the pause lies in this own segment.
bool lies_in(const Segment& pause, int64_t pause_ns, const Segment& segment) {
  const int64_t from_ns = std::max(pause.start_ns - pause_ns, segment.start_ns - segment.own_ns);
  return 2 * (std::min(pause.start_ns, segment.start_ns) - from_ns) > pause_ns;
}

}  // namespace

int64_t gain_without_pause(const RunTables& run, const OwnSegments& own,
                           const std::vector<int64_t>& excess_ns,
                           const std::vector<PathPiece>& path, const std::vector<uint32_t>& actors,
                           uint32_t arrival) {
  const Segment& pause = own.segments[arrival];
  const auto is_part = [&](const Segment& segment) {
    return segment.before != kNoRow && is_in(actors, segment.actor) &&
           lies_in(pause, excess_ns[arrival], segment);
  };
  const bool beside_others = std::any_of(path.begin(), path.end(), [&](const PathPiece& piece) {
    const Segment& segment = own.segments[piece.arrival];
    return segment.before != kNoRow && !is_part(segment) &&
           piece.excess_ns * kTimesOthers > excess_ns[arrival];
  });
  if (beside_others) return 0;
  std::vector<int64_t> of_pause_ns(excess_ns.size());
  std::set<uint32_t> paused;
  for (const uint32_t a : own.order) {
    if (!is_part(own.segments[a])) continue;
    of_pause_ns[a] = excess_ns[a];
    if (excess_ns[a] * kPartOfPause >= excess_ns[arrival]) paused.insert(own.segments[a].actor);
  }
  if (paused.size() < actors.size()) return 0;
  std::vector<uint8_t> cured(own.actors.size());
  for (const uint32_t actor : actors) cured[actor] = 1;
  return WhatIf(run, own, of_pause_ns).gain_ns(cured);
}

}  // namespace lockstep::analysis
