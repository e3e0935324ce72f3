#include "clocksync/solve/hull.h"

#include <algorithm>

namespace lockstep::clocksync {
namespace {

int64_t bound_ns(const HullPoint& p) { return p.delta_ns + int64_t(p.uncertainty_ns); }

// Differences are within a bin, so they are exact in a double; a rounding error of the product can
// only keep or drop a point that lies on the hull's edge to 1e-6 ns.
double dx(const HullPoint& a, const HullPoint& b) { return double(b.tx_raw_ns - a.tx_raw_ns); }
double dy(const HullPoint& a, const HullPoint& b) { return double(bound_ns(b) - bound_ns(a)); }

bool is_earlier(const HullPoint& a, const HullPoint& b) {
  return a.tx_raw_ns != b.tx_raw_ns ? a.tx_raw_ns < b.tx_raw_ns : bound_ns(a) < bound_ns(b);
}

bool middle_is_above(const HullPoint& a, const HullPoint& middle, const HullPoint& b) {
  return dy(a, middle) * dx(a, b) >= dy(a, b) * dx(a, middle);
}

}  // namespace

HullPoint* reduce_to_hull(HullPoint* begin, HullPoint* end) {
  if (end - begin < 2) return end;
  // Mostly they are few, and in order.
  if (!std::is_sorted(begin, end, is_earlier)) std::sort(begin, end, is_earlier);
  HullPoint* last = begin;
  for (const HullPoint* p = begin + 1; p != end; ++p) {
    if (last->tx_raw_ns == p->tx_raw_ns) continue;
    while (last != begin && middle_is_above(*(last - 1), *last, *p)) --last;
    *++last = *p;
  }
  // Falling faster than any clock at the start, or rising faster at the end: the outer point is
  // idle.
  const double max_slope = kHullMaxSlopePpm * 1e-6;
  HullPoint* first = begin;
  while (first < last && dy(*first, *(first + 1)) < -max_slope * dx(*first, *(first + 1))) ++first;
  while (last > first && dy(*(last - 1), *last) > max_slope * dx(*(last - 1), *last)) --last;
  return first == begin ? last + 1 : std::copy(first, last + 1, begin);
}

std::vector<HullPoint> reduce_to_hull(std::vector<HullPoint> points) {
  const HullPoint* end = reduce_to_hull(points.data(), points.data() + points.size());
  points.resize(static_cast<size_t>(end - points.data()));
  return points;
}

}  // namespace lockstep::clocksync
