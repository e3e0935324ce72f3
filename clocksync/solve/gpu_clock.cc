#include "clocksync/solve/gpu_clock.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "clocksync/solve/hull.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kMinuteNs = 60'000'000'000;
constexpr size_t kFullBin = 128;  // points, before they are thinned
// Sightings this far away still speak against an old stamp, at the largest drift of the two clocks.
constexpr int64_t kContradictionBins = 5;
constexpr double kMaxDriftPpm = 400;
// A proxy thread polls: within a window some stamp is seen this soon. Launches may run ahead of the
// GPU by any time, so the middle of a wide interval would be a bad estimate.
constexpr int64_t kUsualLookNs = 5'000;

int64_t stamp_ns(uint64_t stamp) { return int64_t(stamp); }

int64_t divisor_of(const uint64_t* stamps, size_t count) {
  uint64_t divisor = 0;
  for (size_t i = 0; i < count; ++i) divisor = std::gcd(divisor, stamps[i]);
  return int64_t(std::clamp<uint64_t>(divisor, 1, uint64_t(kWidestGpuStepNs)));
}

// `sent` on one clock was before `received` on the other.
void add_point(std::map<int64_t, std::vector<HullPoint>>* bins, int64_t sent_ns,
               int64_t received_ns) {
  std::vector<HullPoint>& bin = (*bins)[sent_ns / kHullBinNs];
  bin.push_back({sent_ns, received_ns - sent_ns, StampKind::None, 0});
  if (bin.size() >= kFullBin) {
    bin = reduce_to_hull(std::move(bin));
    bin.reserve(2 * kFullBin);
  }
}

int64_t low_end(const OffsetInterval& theta) { return theta.lo_ns; }
int64_t high_end(const OffsetInterval& theta) { return theta.hi_ns; }
int64_t likely(const OffsetInterval& theta) {
  return theta.lo_ns + std::min(theta.width_ns() / 2, kUsualLookNs);
}

}  // namespace

int64_t detect_granularity_ns(const std::vector<uint64_t>& stamps) {
  GpuSteps steps;
  for (const uint64_t stamp : stamps) steps.add(stamp, 0);
  return steps.at(0);
}

void GpuSteps::add(uint64_t stamp, int64_t raw_ns) {
  const int64_t minute = raw_ns / kMinuteNs;
  if (minute != minute_) batched_ = 0;
  minute_ = minute;
  // Channels of one kernel often show the same stamp, which says nothing twice.
  const auto end = batch_.begin() + int64_t(batched_);
  if (std::find(batch_.begin(), end, stamp) != end) return;
  batch_[batched_++] = stamp;
  if (batched_ < kBatch) return;
  batched_ = 0;
  int64_t& step = by_minute_[minute];
  step = std::max(step, divisor_of(batch_.data(), kBatch));  // garbage can only lessen it
}

void GpuSteps::add(const GpuSteps& other) {
  for (const auto& [minute, step] : other.by_minute_) {
    int64_t& own = by_minute_[minute];
    own = std::max(own, step);
  }
}

int64_t GpuSteps::at(int64_t raw_ns) const {
  const auto found = by_minute_.find(raw_ns / kMinuteNs);
  return found != by_minute_.end() ? found->second : widest();
}

int64_t GpuSteps::widest() const {
  int64_t step = 0;
  for (const auto& minute : by_minute_) step = std::max(step, minute.second);
  return step != 0 ? step : kWidestGpuStepNs;
}

void GpuClockEvidence::seen(uint64_t stamp, int64_t raw_ns) {
  steps_.add(stamp, raw_ns);
  add_point(&up_, stamp_ns(stamp), raw_ns);
  reach(raw_ns);
}

void GpuClockEvidence::reach(int64_t raw_ns) {
  from_raw_ns_ = std::min(from_raw_ns_.value_or(raw_ns), raw_ns);
  to_raw_ns_ = std::max(to_raw_ns_.value_or(raw_ns), raw_ns);
}

void GpuClockEvidence::snapshot(const GpuSnapshot& snapshot) {
  const uint64_t stamp = uint64_t(snapshot.gpu_ns);
  seen(stamp, snapshot.raw_hi_ns);
  add_point(&down_, snapshot.raw_lo_ns, snapshot.gpu_ns + snapshot.granularity_ns);
}

void GpuClockEvidence::add(const GpuClockEvidence& other) {
  steps_.add(other.steps_);
  for (const auto& end : {other.from_raw_ns_, other.to_raw_ns_}) {
    if (end) reach(*end);
  }
  for (const auto& bin : other.up_) {
    for (const HullPoint& p : bin.second) add_point(&up_, p.tx_raw_ns, p.tx_raw_ns + p.delta_ns);
  }
  for (const auto& bin : other.down_) {
    for (const HullPoint& p : bin.second) add_point(&down_, p.tx_raw_ns, p.tx_raw_ns + p.delta_ns);
  }
}

// The sighting that bounds theta best is a corner of its bin's hull.
void GpuClockEvidence::find_least_thetas() {
  for (const auto& bin : up_) {
    for (const HullPoint& p : bin.second) {
      const auto [at, is_new] =
          least_theta_ns_.insert({(p.tx_raw_ns + p.delta_ns) / kHullBinNs, -p.delta_ns});
      if (!is_new) at->second = std::max(at->second, -p.delta_ns);
    }
  }
}

bool GpuClockEvidence::is_before_launch(uint64_t stamp, int64_t launch_raw_ns) {
  if (least_theta_ns_.empty()) find_least_thetas();
  const int64_t most_ns = stamp_ns(stamp) + steps_.at(launch_raw_ns) - launch_raw_ns;
  const int64_t bin = launch_raw_ns / kHullBinNs;
  for (auto at = least_theta_ns_.lower_bound(bin - kContradictionBins);
       at != least_theta_ns_.end() && at->first <= bin + kContradictionBins; ++at) {
    const double apart_ns = double(std::llabs(at->first - bin) + 1) * double(kHullBinNs);
    if (double(most_ns - at->second) < -kMaxDriftPpm * 1e-6 * apart_ns) return true;
  }
  return false;
}

void GpuClockEvidence::launched(int64_t raw_ns, uint64_t stamp) {
  add_point(&down_, raw_ns, stamp_ns(stamp) + steps_.at(raw_ns));
  reach(raw_ns);
}

GpuClock GpuClockEvidence::solve() {
  if (least_theta_ns_.empty()) find_least_thetas();
  EdgeBounds bounds;
  for (auto& bin : down_) {
    for (const HullPoint& p : reduce_to_hull(std::move(bin.second))) bounds.add_a_to_b(p);
  }
  for (auto& bin : up_) {
    for (const HullPoint& p : reduce_to_hull(std::move(bin.second))) bounds.add_b_to_a(p);
  }
  GpuClock clock;
  EdgeOptions options;
  options.from_raw_ns = from_raw_ns_;
  options.to_raw_ns = to_raw_ns_;
  clock.model_ = EdgeModel::solve(std::move(bounds), options);
  clock.least_theta_ns_ = std::move(least_theta_ns_);
  clock.steps_ = steps_;
  return clock;
}

// theta is known by the host's clock: from the sighting, a few steps reach the stamp's own instant.
int64_t GpuClock::host_ns(uint64_t stamp, int64_t near_raw_ns,
                          int64_t (*theta_ns)(const OffsetInterval&)) const {
  int64_t host_ns = near_raw_ns;
  for (int i = 0; i < 3; ++i) {
    const auto theta = model_.at(std::clamp(host_ns, model_.from_raw_ns(),
                                            std::max(model_.from_raw_ns(), model_.to_raw_ns())));
    if (!theta) return INT64_MIN;
    const int64_t before_ns = std::exchange(host_ns, stamp_ns(stamp) - theta_ns(*theta));
    if (host_ns == before_ns) break;  // further ones would not move it
  }
  return host_ns;
}

std::optional<HostTime> GpuClock::to_host(uint64_t stamp, int64_t near_raw_ns) const {
  const int64_t step_ns = steps_.at(near_raw_ns);
  const int64_t ns = host_ns(stamp, near_raw_ns, likely);
  const int64_t lo_ns = host_ns(stamp, near_raw_ns, high_end);
  const int64_t hi_ns = host_ns(stamp, near_raw_ns, low_end);
  if (ns != INT64_MIN && lo_ns != INT64_MIN && hi_ns != INT64_MIN)
    return HostTime{ns + step_ns / 2, lo_ns, hi_ns + step_ns};
  // Nothing says when work was launched: the sightings around alone say what is likely.
  std::optional<int64_t> least;
  const int64_t bin = near_raw_ns / kHullBinNs;
  for (auto at = least_theta_ns_.lower_bound(bin - 1);
       at != least_theta_ns_.end() && at->first <= bin + 1; ++at) {
    least = std::max(least.value_or(at->second), at->second);
  }
  if (!least) return std::nullopt;
  return HostTime{stamp_ns(stamp) + step_ns / 2 - *least, INT64_MIN, INT64_MAX};
}

}  // namespace lockstep::clocksync
