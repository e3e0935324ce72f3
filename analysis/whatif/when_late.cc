#include "analysis/whatif/when_late.h"

#include <algorithm>
#include <array>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

constexpr double kNearlyAll = 0.9;
constexpr int kParts = 20;  // of the run's time

// Part of the run's time, 0 to 1.
double place_of(const LateMoment& moment, int64_t first_ns, int64_t last_ns) {
  return last_ns <= first_ns ? 0
                             : std::clamp(static_cast<double>(moment.at_ns - first_ns) /
                                              static_cast<double>(last_ns - first_ns),
                                          0.0, 1.0);
}

// The typical distance, if nearly all distances are it.
int64_t period_of(const std::vector<LateMoment>& moments) {
  constexpr size_t kFewestLate = 4;
  if (moments.size() < kFewestLate) return 0;
  std::vector<int64_t> distances;
  for (size_t i = 1; i < moments.size(); ++i)
    distances.push_back(moments[i].at_ns - moments[i - 1].at_ns);
  const int64_t typical_ns = median_of(distances);
  const auto regular = std::count_if(distances.begin(), distances.end(), [&](int64_t one) {
    return std::max(one, typical_ns) - std::min(one, typical_ns) <= typical_ns / 5;
  });
  return static_cast<double>(regular) >= kNearlyAll * static_cast<double>(distances.size())
             ? typical_ns
             : 0;
}

}  // namespace

size_t round_of(const std::vector<uint64_t>& calls) {
  // A round of more calls, or one that comes fewer times, is none that anybody would notice.
  constexpr size_t kLongestRound = 1024, kMostLookedAt = 8 * kLongestRound, kFewestRounds = 4;
  constexpr double kSameCalls = 0.95;
  const size_t count = std::min(calls.size(), kMostLookedAt);
  for (size_t length = 1; length <= kLongestRound && length * kFewestRounds <= count; ++length) {
    size_t alike = 0;
    for (size_t i = length; i < count; ++i) alike += calls[i] == calls[i - length] ? 1 : 0;
    if (static_cast<double>(alike) >= kSameCalls * static_cast<double>(count - length))
      return length;
  }
  return 1;
}

LatePattern pattern_of(const std::vector<LateMoment>& moments, int64_t first_ns, int64_t last_ns,
                       uint64_t launches, uint64_t rounds) {
  LatePattern pattern;
  std::array<double, kParts> parts{};
  std::array<double, 3> thirds{};
  double all = 0;
  for (const LateMoment& one : moments) {
    const auto excess = static_cast<double>(one.excess_ns);
    const double place = place_of(one, first_ns, last_ns);
    parts[std::min<size_t>(kParts - 1, static_cast<size_t>(place * kParts))] += excess;
    thirds[std::min<size_t>(2, static_cast<size_t>(place * 3))] += excess;
    all += excess;
  }
  if (all <= 0) return pattern;
  pattern.until_ns = moments.back().at_ns - first_ns;
  if (place_of(moments.back(), first_ns, last_ns) < 1.0 / 3) {
    pattern.when = WhenLate::AtStart;
    return pattern;
  }
  // Late in every second or third of them is no period worth a word.
  if (rounds > 0 && 2 * launches >= 9 * moments.size()) {
    pattern.period_ns = period_of(moments);
    if (pattern.period_ns > 2 * (last_ns - first_ns) / static_cast<int64_t>(rounds)) {
      pattern.when = WhenLate::Periodic;
      return pattern;
    }
  }
  std::array<double, kParts> sorted = parts;
  std::sort(sorted.rbegin(), sorted.rend());
  double sum = 0;
  int needed = 0;
  while (needed < kParts && sum < kNearlyAll * all) sum += sorted[static_cast<size_t>(needed++)];
  pattern.share_of_time = static_cast<double>(needed) / kParts;
  if (moments.size() >= 2 * static_cast<size_t>(needed) && needed * 3 <= kParts) {
    pattern.when = WhenLate::InBursts;
  } else if (thirds[1] > 1.3 * thirds[0] && thirds[2] > 1.3 * thirds[1] && thirds[0] > 0) {
    pattern.when = WhenLate::Growing;
    pattern.growth = thirds[2] / thirds[0];
  }
  return pattern;
}

}  // namespace lockstep::analysis
