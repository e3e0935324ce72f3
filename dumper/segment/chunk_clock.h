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

#include "lockstep/event.h"
#include "lockstep/shared_blocks.h"

namespace lockstep::dumper {

class ChunkClock {
 public:
  class Ascending;
  ChunkClock() = default;
  // Anchors that do not ascend in ticks are left out.
  ChunkClock(const Anchor* anchors, size_t count);

  uint64_t raw_ns(uint64_t ticks) const {
    const Stretch& stretch = stretch_of(ticks);
    return ns_at(stretch.first_tick, stretch.raw_ns, ticks);
  }
  uint64_t real_ns(uint64_t ticks) const {
    const Stretch& stretch = stretch_of(ticks);
    return ns_at(stretch.first_tick, stretch.real_ns, ticks);
  }
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
  static uint64_t ns_at(uint64_t first_tick, const Line& line, uint64_t ticks) {
    const auto apart = static_cast<int64_t>(ticks - first_tick);
    const double ns = static_cast<double>(apart) * line.slope;
    // Only a damaged chunk is 146 years away from its anchors; the cast must stay defined there
    // too.
    if (!(ns > -kFarNs && ns < kFarNs)) return line.at;
    return line.at + static_cast<uint64_t>(static_cast<int64_t>(ns));
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

// The same raw times for who asks for one instant soon after the other: the stretch between two anchors is looked for
// once for all that lie in it, and whether any of these can be too far away. The clock must outlive it. One thread.
class ChunkClock::Ascending {
 public:
  explicit Ascending(const ChunkClock& clock) : clock_(clock) {}
  uint64_t raw_ns(uint64_t ticks) {
    if (ticks - from_tick_ >= ticks_ && !look_for(ticks)) return clock_.raw_ns(ticks);
    const auto apart = static_cast<int64_t>(ticks - first_tick_);
    const double ns = static_cast<double>(apart) * line_.slope;
    return line_.at + static_cast<uint64_t>(static_cast<int64_t>(ns));
  }

 private:
  bool look_for(uint64_t ticks);

  const ChunkClock& clock_;
  uint64_t from_tick_ = 0, ticks_ = 0;  // [from, + ticks) are those of `line_`, and near it
  uint64_t first_tick_ = 0;
  Line line_;
};

}  // namespace lockstep::dumper
