#include "clocksync/solve/hull.h"

#include <algorithm>
#include <tuple>

namespace lockstep::clocksync {
namespace {

int64_t bound_ns(const HullPoint& p) { return p.delta_ns + int64_t(p.uncertainty_ns); }

// Differences are within a bin, so they are exact in a double; a rounding error of the product can
// only keep or drop a point that lies on the hull's edge to 1e-6 ns.
double dx(const HullPoint& a, const HullPoint& b) { return double(b.tx_raw_ns - a.tx_raw_ns); }
double dy(const HullPoint& a, const HullPoint& b) { return double(bound_ns(b) - bound_ns(a)); }

bool middle_is_above(const HullPoint& a, const HullPoint& middle, const HullPoint& b) {
  return dy(a, middle) * dx(a, b) >= dy(a, b) * dx(a, middle);
}

}  // namespace

std::vector<HullPoint> reduce_to_hull(std::vector<HullPoint> points) {
  std::sort(points.begin(), points.end(), [](const HullPoint& a, const HullPoint& b) {
    return std::make_tuple(a.tx_raw_ns, bound_ns(a)) < std::make_tuple(b.tx_raw_ns, bound_ns(b));
  });
  std::vector<HullPoint> hull;
  for (const HullPoint& p : points) {
    if (!hull.empty() && hull.back().tx_raw_ns == p.tx_raw_ns) continue;
    while (hull.size() >= 2 && middle_is_above(hull[hull.size() - 2], hull.back(), p)) {
      hull.pop_back();
    }
    hull.push_back(p);
  }
  // Falling faster than any clock at the start, or rising faster at the end: the outer point is
  // idle.
  const double max_slope = kHullMaxSlopePpm * 1e-6;
  size_t first = 0, last = hull.empty() ? 0 : hull.size() - 1;
  while (first < last &&
         dy(hull[first], hull[first + 1]) < -max_slope * dx(hull[first], hull[first + 1])) {
    ++first;
  }
  while (last > first &&
         dy(hull[last - 1], hull[last]) > max_slope * dx(hull[last - 1], hull[last])) {
    --last;
  }
  if (hull.empty()) return hull;
  return std::vector<HullPoint>(hull.begin() + int64_t(first), hull.begin() + int64_t(last) + 1);
}

}  // namespace lockstep::clocksync
