// From ticks to the host's clocks, piecewise between the anchors of a chunk. Made once per chunk by
// the decoder; any number of threads may read it. Outside the anchors raw time goes on at the rate
// between the first and the last, which errs least, and real time, which may be slewed, at that of the
// nearest stretch; with one anchor (or none that are apart) a tick counts as a nanosecond, which is exact
// when the plugin ran on CLOCK_MONOTONIC_RAW.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/shared_blocks.h"

namespace lockstep::dumper {

class ChunkClock {
 public:
  ChunkClock() = default;
  // Anchors that do not ascend in ticks are left out.
  ChunkClock(const Anchor* anchors, size_t count);

  uint64_t raw_ns(uint64_t ticks) const { return convert(ticks, &Stretch::raw_ns); }
  uint64_t real_ns(uint64_t ticks) const { return convert(ticks, &Stretch::real_ns); }
  const std::vector<Anchor>& anchors() const { return anchors_; }

 private:
  static constexpr double kFarNs = 4.6e18;
  static constexpr size_t kFewStretches = 16;
  struct Line {
    uint64_t at = 0;   // ns at the stretch's first tick
    double slope = 1;  // ns per tick
  };
  struct Stretch {
    uint64_t first_tick = 0;
    Line raw_ns, real_ns;
  };
  const Stretch& stretch_of(uint64_t ticks) const;
  uint64_t convert(uint64_t ticks, Line Stretch::*line) const {
    const Stretch& stretch = stretch_of(ticks);
    const Line& l = stretch.*line;
    const auto apart = static_cast<int64_t>(ticks - stretch.first_tick);
    const double ns = static_cast<double>(apart) * l.slope;
    // Only a damaged chunk is 146 years away from its anchors; the cast must stay defined there
    // too.
    if (!(ns > -kFarNs && ns < kFarNs)) return l.at;
    return l.at + static_cast<uint64_t>(static_cast<int64_t>(ns));
  }

  std::vector<Anchor> anchors_;
  std::vector<Stretch> stretches_ = {Stretch{}};
};

inline const ChunkClock::Stretch& ChunkClock::stretch_of(uint64_t ticks) const {
  size_t i = stretches_.size() - 1;
  if (i > kFewStretches) {
    const auto after = std::upper_bound(
        stretches_.begin(), stretches_.end(), ticks,
        [](uint64_t tick, const Stretch& stretch) { return tick < stretch.first_tick; });
    i = after == stretches_.begin() ? 0 : static_cast<size_t>(after - stretches_.begin()) - 1;
  }
  while (i > 0 && ticks < stretches_[i].first_tick) --i;
  return stretches_[i];
}

}  // namespace lockstep::dumper
