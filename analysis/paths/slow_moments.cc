#include "analysis/paths/slow_moments.h"

#include <algorithm>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Slow is what takes so much longer than usual, and longer by so many times what usual ones differ.
constexpr double kLeastPartOfMoment = 0.15;
constexpr int64_t kTimesScatter = 3;
// What takes so many times as long is no noise, alone as well.
constexpr int64_t kTimesUsual = 2;
constexpr double kMomentReference = 0.35, kLowest = 0.1;
constexpr size_t kFewestMoments = 8;

}  // namespace

SlowMoments find_slow_moments(const std::vector<int64_t>& times_ns) {
  SlowMoments moments;
  if (times_ns.size() < 2 * kFewestMoments) return moments;
  std::vector<int64_t> sorted = times_ns;
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    return sorted[static_cast<size_t>(share * static_cast<double>(sorted.size()))];
  };
  moments.usual_ns = at(kMomentReference);
  const int64_t least_ns =
      moments.usual_ns +
      std::max(static_cast<int64_t>(kLeastPartOfMoment * static_cast<double>(moments.usual_ns)),
               kTimesScatter * (moments.usual_ns - at(kLowest)));
  const auto is_slow = [&](size_t i) { return times_ns[i] > least_ns; };
  for (size_t i = 0; i < times_ns.size(); ++i) {
    if (!is_slow(i)) {
      moments.usual.push_back(static_cast<uint32_t>(i));
    } else if (times_ns[i] > kTimesUsual * moments.usual_ns || (i > 0 && is_slow(i - 1)) ||
               (i + 1 < times_ns.size() && is_slow(i + 1))) {
      moments.slow.push_back(static_cast<uint32_t>(i));
      moments.lost_ns += times_ns[i] - moments.usual_ns;
    }
  }
  if (moments.slow.size() < kFewestMoments || moments.usual.size() < kFewestMoments)
    return SlowMoments();
  return moments;
}

}  // namespace lockstep::analysis
