// One-sided observations of one direction, kept for a whole recording: those whose sender's stamps fall into
// the same 0.1 s lose what cannot bind (hull.h) as soon as they are many, so memory grows with time, not with
// events. Points mostly come in the order of time, and then one costs a few nanoseconds and no allocation.
// One thread.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

class ThinnedPoints {
 public:
  // `sent` on one clock was before `received` on the other.
  void add(int64_t sent_ns, int64_t received_ns) {
    const int64_t bin = sent_ns / kHullBinNs;
    const HullPoint point{sent_ns, received_ns - sent_ns, StampKind::None, 0};
    if (bin < bin_ && add_before_last(bin, point)) return;
    if (bin != bin_) open(bin);
    points_.push_back(point);
    if (points_.size() - first_ >= kMany) thin_last();
  }
  void add(const ThinnedPoints& other);
  bool empty() const { return points_.empty(); }
  const std::vector<HullPoint>& points() const { return points_; }  // in any order
  // Those that can matter, in order of sending; what is left is empty.
  std::vector<HullPoint> take();

 private:
  static constexpr size_t kMany = 128;           // of a bin in a row, before they are thinned
  static constexpr size_t kManyOfAll = 1 << 14;  // before bins that came in pieces are put together

  // Around the border of two bins points of the earlier one may come a little late.
  bool add_before_last(int64_t bin, const HullPoint& point);
  void open(int64_t bin);
  void thin_last();
  void put_bins_together();

  std::vector<HullPoint> points_;
  int64_t bin_ = INT64_MIN;  // of the last ones, from first_ on
  size_t first_ = 0, most_ = kManyOfAll;
  bool in_order_ = true;  // bins came one after the other
};

}  // namespace lockstep::clocksync
