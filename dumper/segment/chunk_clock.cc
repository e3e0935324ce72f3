#include "dumper/segment/chunk_clock.h"

#include <cmath>

namespace lockstep::dumper {

ChunkClock::ChunkClock(const Anchor* anchors, size_t count) {
  anchors_.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const bool ascends = anchors_.empty() || (anchors[i].ticks > anchors_.back().ticks &&
                                              anchors[i].raw_ns > anchors_.back().raw_ns);
    if (ascends) anchors_.push_back(anchors[i]);
  }
  if (anchors_.empty()) return;
  stretches_.clear();
  stretches_.reserve(anchors_.size() + 1);
  stretches_.push_back({anchors_[0].ticks, {anchors_[0].raw_ns, 1}, {anchors_[0].real_ns, 1}});
  for (size_t i = 0; i + 1 < anchors_.size(); ++i) {
    const Anchor& a = anchors_[i];
    const Anchor& b = anchors_[i + 1];
    const auto ticks = static_cast<double>(b.ticks - a.ticks);
    // REALTIME may have been set back in between: the difference is signed.
    const auto real = static_cast<double>(static_cast<int64_t>(b.real_ns - a.real_ns));
    const Stretch stretch{a.ticks,
                          {a.raw_ns, static_cast<double>(b.raw_ns - a.raw_ns) / ticks},
                          {a.real_ns, real / ticks}};
    stretches_.push_back(stretch);
  }
  if (anchors_.size() == 1) return;
  const Anchor& first = anchors_.front();
  const Anchor& last = anchors_.back();
  const double rate = static_cast<double>(last.raw_ns - first.raw_ns) /
                      static_cast<double>(last.ticks - first.ticks);
  stretches_[0] = {first.ticks, {first.raw_ns, rate}, {first.real_ns, stretches_[1].real_ns.slope}};
  stretches_.push_back(
      {last.ticks, {last.raw_ns, rate}, {last.real_ns, stretches_.back().real_ns.slope}});
}

// False: not of ticks that no record can have, or of a stretch in which some of those that records can have are too far
// away.
bool ChunkClock::Ascending::look_for(uint64_t ticks) {
  constexpr uint64_t kEnd = uint64_t{1} << kTickBits;
  const Stretch& stretch = clock_.stretch_of(ticks);
  ticks_ = 0;
  if (ticks >= kEnd || stretch.first_tick >= kEnd) return false;
  if (!(stretch.raw_ns.slope * static_cast<double>(kEnd) < kFarNs)) return false;
  const bool is_first = &stretch == &clock_.stretches_.front();
  const bool is_last = &stretch == &clock_.stretches_.back();
  first_tick_ = stretch.first_tick;
  line_ = stretch.raw_ns;
  from_tick_ = is_first ? 0 : first_tick_;
  ticks_ = std::min(is_last ? kEnd : (&stretch + 1)->first_tick, kEnd) - from_tick_;
  return true;
}

}  // namespace lockstep::dumper
