#include "clocksync/solve/thinned_points.h"

#include <algorithm>
#include <cstddef>

#include "clocksync/solve/hull.h"

namespace lockstep::clocksync {
namespace {

int64_t bin_of(const HullPoint& point) { return point.tx_raw_ns / kHullBinNs; }
bool is_earlier_bin(const HullPoint& a, const HullPoint& b) { return bin_of(a) < bin_of(b); }

}  // namespace

bool ThinnedPoints::add_before_last(int64_t bin, const HullPoint& point) {
  if (!in_order_ || first_ == 0 || bin_of(points_[first_ - 1]) > bin) return false;
  points_.insert(points_.begin() + static_cast<std::ptrdiff_t>(first_), point);
  ++first_;
  return true;
}

void ThinnedPoints::open(int64_t bin) {
  if (points_.size() >= most_) {
    put_bins_together();
    most_ = std::max(kManyOfAll, 2 * points_.size());
  }
  in_order_ = in_order_ && bin >= bin_;
  bin_ = bin;
  first_ = points_.size();
}

void ThinnedPoints::thin_last() {
  const HullPoint* end = reduce_to_hull(points_.data() + first_, points_.data() + points_.size());
  points_.resize(static_cast<size_t>(end - points_.data()));
  // A hull that stays that large is not looked at again for each point.
  if (2 * (points_.size() - first_) > kMany) first_ = points_.size();
}

void ThinnedPoints::add(const ThinnedPoints& other) {
  for (const HullPoint& p : other.points_) add(p.tx_raw_ns, p.tx_raw_ns + p.delta_ns);
}

void ThinnedPoints::put_bins_together() {
  if (!in_order_) std::stable_sort(points_.begin(), points_.end(), is_earlier_bin);
  HullPoint* kept = points_.data();
  HullPoint* const all_end = points_.data() + points_.size();
  for (HullPoint* begin = points_.data(); begin != all_end;) {
    HullPoint* end = begin + 1;
    const int64_t bin = bin_of(*begin);
    while (end != all_end && bin_of(*end) == bin) ++end;
    kept = std::copy(begin, reduce_to_hull(begin, end), kept);
    begin = end;
  }
  points_.resize(static_cast<size_t>(kept - points_.data()));
  in_order_ = true;
  if (!points_.empty()) bin_ = bin_of(points_.back());
}

std::vector<HullPoint> ThinnedPoints::take() {
  put_bins_together();
  std::vector<HullPoint> all = std::move(points_);
  *this = ThinnedPoints();
  return all;
}

}  // namespace lockstep::clocksync
