#include "clocksync/wire/stamp_converter.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lockstep::clocksync {
namespace {

constexpr int64_t kRateSpanNs = 500'000'000;

int64_t real_minus_raw(const ClockSnapshot& snapshot) { return snapshot.real_ns - snapshot.raw_ns; }

}  // namespace

StampConverter::StampConverter(const ClockSource& clock)
    : clock_(clock), now_(clock.snapshot()), anchor_(now_) {}

bool StampConverter::close_batch() {
  const ClockSnapshot before = now_;
  now_ = clock_.snapshot();
  if (realtime_stepped(before, now_)) {
    batches_.clear();
    anchor_ = now_;
    rate_ = 0;
    return false;
  }
  const auto moved_ns = static_cast<double>(real_minus_raw(now_) - real_minus_raw(before));
  const auto elapsed_ns = static_cast<double>(now_.raw_ns - before.raw_ns);
  // Without a known rate all of the movement is a surprise: at most 500 ppm of half a second, once.
  const double surprise_ns = std::ceil(std::fabs(moved_ns - rate_ * elapsed_ns));
  batches_.push_back({before, now_, static_cast<int64_t>(surprise_ns)});
  if (batches_.size() > kRemembered) batches_.pop_front();
  if (now_.raw_ns - anchor_.raw_ns >= kRateSpanNs) {
    const auto span_ns = static_cast<double>(now_.raw_ns - anchor_.raw_ns);
    rate_ = static_cast<double>(real_minus_raw(now_) - real_minus_raw(anchor_)) / span_ns;
    anchor_ = now_;
  }
  return true;
}

std::optional<RawStamp> StampConverter::to_raw(int64_t real_ns) const {
  if (batches_.empty() || real_ns > now_.real_ns + kLargestGapNs) return std::nullopt;
  auto batch = batches_.rbegin();
  while (real_ns < batch->before.real_ns && std::next(batch) != batches_.rend()) ++batch;
  const ClockSnapshot& before = batch->before;
  const ClockSnapshot& after = batch->now;
  if (real_ns < before.real_ns - kLargestGapNs) return std::nullopt;
  RawStamp best = clock_.to_raw(real_ns, after);
  const int64_t span_ns = after.real_ns - before.real_ns;
  if (real_ns < after.real_ns && span_ns > 0) {
    const auto ago_ns = static_cast<double>(after.real_ns - real_ns);
    const double share = std::min(1.0, ago_ns / static_cast<double>(span_ns));
    ClockSnapshot between = after;
    between.real_ns -= std::llround(share * static_cast<double>(span_ns));
    between.raw_ns -= std::llround(share * static_cast<double>(after.raw_ns - before.raw_ns));
    between.bracket_ns = std::max(after.bracket_ns, before.bracket_ns) + 2 * batch->surprise_ns;
    const RawStamp interpolated = clock_.to_raw(real_ns, between);
    if (interpolated.uncertainty_ns < best.uncertainty_ns) best = interpolated;
  }
  return best;
}

}  // namespace lockstep::clocksync
