#include "analysis/whatif/pause.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

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

// A bout has so many moments, and takes no more than such a part of the run: two checkpoints lie far apart.
constexpr size_t kFewestOfBout = 3;
constexpr int64_t kPartOfRun = 3;

// By start.
using Moments = std::vector<std::pair<int64_t, int64_t>>;  // when, excess

// The most that lies in a stretch of this length.
int64_t most_within(Moments moments, int64_t length_ns) {
  std::sort(moments.begin(), moments.end());
  int64_t most_ns = 0, sum_ns = 0;
  size_t first = 0;
  for (const auto& [at_ns, excess_ns] : moments) {
    sum_ns += excess_ns;
    while (at_ns - moments[first].first > length_ns) sum_ns -= moments[first++].second;
    most_ns = std::max(most_ns, sum_ns);
  }
  return most_ns;
}

// The stretch, no longer than that, in which these cost most; kNoTime where it has too few of them to be a bout.
std::pair<int64_t, int64_t> worst_stretch(const OwnSegments& own,
                                          const std::vector<Occasion>& occasions,
                                          int64_t longest_ns) {
  const auto from_ns = [&](const Occasion& one) {
    return own.segments[one.arrival].start_ns - one.excess_ns;
  };
  std::pair<int64_t, int64_t> worst{kNoTime, kNoTime};
  int64_t sum_ns = 0, most_ns = 0;
  size_t first = 0;
  for (size_t last = 0; last < occasions.size(); ++last) {
    const int64_t until_ns = own.segments[occasions[last].arrival].start_ns;
    sum_ns += occasions[last].excess_ns;
    while (first <= last && until_ns - from_ns(occasions[first]) > longest_ns)
      sum_ns -= occasions[first++].excess_ns;
    if (last + 1 < first + kFewestOfBout || sum_ns <= most_ns) continue;
    most_ns = sum_ns;
    worst = {from_ns(occasions[first]), until_ns};
  }
  return worst;
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

bool is_bout(const OwnSegments& own, const std::vector<PathPiece>& path,
             const std::vector<uint32_t>& actors, const std::vector<Occasion>& occasions,
             int64_t span_ns) {
  const std::pair<int64_t, int64_t> worst = worst_stretch(own, occasions, span_ns / kPartOfRun);
  const int64_t from_ns = worst.first, until_ns = worst.second;
  if (from_ns == kNoTime) return false;
  int64_t in_bout_ns = 0;
  std::map<uint32_t, Moments> others;  // by actor; of these ranks, kNoRow: outside the bout
  for (const PathPiece& piece : path) {
    const Segment& segment = own.segments[piece.arrival];
    if (segment.before == kNoRow) continue;
    const bool is_theirs = is_in(actors, segment.actor);
    if (is_theirs && segment.start_ns >= from_ns && segment.start_ns <= until_ns)
      in_bout_ns += piece.excess_ns;
    else
      others[is_theirs ? kNoRow : segment.actor].emplace_back(segment.start_ns, piece.excess_ns);
  }
  return std::all_of(others.begin(), others.end(), [&](const auto& other) {
    return most_within(other.second, until_ns - from_ns) * kTimesOthers <= in_bout_ns;
  });
}

}  // namespace lockstep::analysis
