#include "clocksync/solve/gpu_clock.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "clocksync/solve/hull.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kMinuteNs = 60'000'000'000;
// Sightings this far away still speak against an old stamp, at the largest drift of the two clocks.
constexpr int64_t kContradictionBins = 5;
constexpr double kMaxDriftPpm = 400;
// A proxy thread polls: within a window some stamp is seen this soon. Launches may run ahead of the
// GPU by any time, so the middle of a wide interval would be a bad estimate.
constexpr int64_t kUsualLookNs = 5'000;
// An estimate is inside its bounds but for what rounding does to each.
constexpr int64_t kEstimateRoundingNs = 100;
// Between two instants theta is interpolated, which widens what is guaranteed by up to D h^2 / 8. An observation's
// hull reaches 5 s either way (taylor_hull.cc), so that each is in the hull of two instants at least.
constexpr int64_t kRoughGridNs = 4'000'000'000;

int64_t stamp_ns(uint64_t stamp) { return int64_t(stamp); }

// By the differences of stamps, which are much smaller than stamps, so that less is left to divide. Where it is no more
// than `known`: something between.
int64_t divisor_of(const uint64_t* stamps, size_t count, int64_t known) {
  uint64_t divisor = 0;
  for (size_t i = 1; i < count; ++i) {
    const auto [less, more] = std::minmax(stamps[i - 1], stamps[i]);
    divisor = std::gcd(divisor, more - less);
    if (divisor <= uint64_t(known)) return known;
  }
  divisor = std::gcd(divisor, stamps[0]);
  return int64_t(std::clamp<uint64_t>(divisor, 1, uint64_t(kWidestGpuStepNs)));
}

// Where those from a bin on begin. `near`: where that was the last time, as who asks mostly does so in the order of time.
size_t first_of_bin(const LeastThetas& all, int64_t bin, size_t near) {
  constexpr size_t kSteps = 4;
  size_t at = std::min(near, all.size());
  if (at != 0 && all[at - 1].bin >= bin) at = 0;
  for (size_t end = std::min(at + kSteps, all.size()); at < end && all[at].bin < bin;) ++at;
  if (at == all.size() || all[at].bin >= bin) return at;
  const auto is_earlier = [](const LeastTheta& one, int64_t wanted) { return one.bin < wanted; };
  return size_t(std::lower_bound(all.begin() + int64_t(at), all.end(), bin, is_earlier) -
                all.begin());
}

constexpr auto kLowEnd = [](const OffsetInterval& theta) { return theta.lo_ns; };
constexpr auto kHighEnd = [](const OffsetInterval& theta) { return theta.hi_ns; };
constexpr auto kLikely = [](const OffsetInterval& theta) {
  return theta.lo_ns + std::min(theta.width_ns() / 2, kUsualLookNs);
};

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
  // Channels of one kernel often show the same stamp, one soon after the other, which says nothing twice.
  const bool is_later = batched_ == 0 || stamp > latest_;
  const auto last = batch_.rend() - int64_t(batched_);
  if (!is_later && std::find(last, batch_.rend(), stamp) != batch_.rend()) return;
  if (is_later) latest_ = stamp;
  batch_[batched_++] = stamp;
  if (batched_ < kBatch) return;
  batched_ = 0;
  asked_minute_ = INT64_MIN;
  int64_t& step = by_minute_[minute];
  step = std::max(step, divisor_of(batch_.data(), kBatch, step));  // garbage can only lessen it
}

void GpuSteps::add(const GpuSteps& other) {
  asked_minute_ = INT64_MIN;
  for (const auto& [minute, step] : other.by_minute_) {
    int64_t& own = by_minute_[minute];
    own = std::max(own, step);
  }
}

int64_t GpuSteps::at(int64_t raw_ns) const {
  const int64_t minute = raw_ns / kMinuteNs;
  if (minute != asked_minute_) {
    const auto found = by_minute_.find(minute);
    asked_step_ = found != by_minute_.end() ? found->second : widest();
    asked_minute_ = minute;
  }
  return asked_step_;
}

int64_t GpuSteps::widest() const {
  int64_t step = 0;
  for (const auto& minute : by_minute_) step = std::max(step, minute.second);
  return step != 0 ? step : kWidestGpuStepNs;
}

void GpuClockEvidence::seen(uint64_t stamp, int64_t raw_ns) {
  // The channels of a kernel mostly show the same stamps soon after each other. Later in the same bin one says less.
  Sighting& before = lately_[stamp * 0x9e3779b97f4a7c15ULL >> 60];
  if (stamp == before.stamp && raw_ns >= before.raw_ns &&
      raw_ns / kHullBinNs == before.raw_ns / kHullBinNs)
    return reach(raw_ns);
  before = {stamp, raw_ns};
  steps_.add(stamp, raw_ns);
  up_.add(stamp_ns(stamp), raw_ns);
  reach(raw_ns);
}

void GpuClockEvidence::reach(int64_t raw_ns) {
  from_raw_ns_ = std::min(from_raw_ns_.value_or(raw_ns), raw_ns);
  to_raw_ns_ = std::max(to_raw_ns_.value_or(raw_ns), raw_ns);
}

void GpuClockEvidence::snapshot(const GpuSnapshot& snapshot) {
  const uint64_t stamp = uint64_t(snapshot.gpu_ns);
  seen(stamp, snapshot.raw_hi_ns);
  down_.add(snapshot.raw_lo_ns, snapshot.gpu_ns + snapshot.granularity_ns);
}

void GpuClockEvidence::add(GpuClockEvidence other) {
  if (up_.empty() && down_.empty()) {
    *this = std::move(other);
    return;
  }
  steps_.add(other.steps_);
  for (const auto& end : {other.from_raw_ns_, other.to_raw_ns_}) {
    if (end) reach(*end);
  }
  up_.add(other.up_);
  down_.add(other.down_);
}

// The sighting that bounds theta best is a corner of its bin's hull.
void GpuClockEvidence::find_least_thetas() {
  // Mostly they come in the order of their bins, and then there is one of each without sorting.
  for (const HullPoint& p : up_.points()) {
    const LeastTheta one{(p.tx_raw_ns + p.delta_ns) / kHullBinNs, -p.delta_ns};
    if (least_thetas_.empty() || least_thetas_.back().bin != one.bin) {
      least_thetas_.push_back(one);
    } else {
      least_thetas_.back().theta_ns = std::max(least_thetas_.back().theta_ns, one.theta_ns);
    }
  }
  const auto largest_first = [](const LeastTheta& a, const LeastTheta& b) {
    return a.bin != b.bin ? a.bin < b.bin : a.theta_ns > b.theta_ns;
  };
  if (!std::is_sorted(least_thetas_.begin(), least_thetas_.end(), largest_first)) {
    std::sort(least_thetas_.begin(), least_thetas_.end(), largest_first);
    const auto of_one_bin = [](const LeastTheta& a, const LeastTheta& b) { return a.bin == b.bin; };
    least_thetas_.erase(std::unique(least_thetas_.begin(), least_thetas_.end(), of_one_bin),
                        least_thetas_.end());
  }
  largest_of_group_.assign(least_thetas_.size() / kGroup + 2, INT64_MIN);
  for (size_t i = 0; i < least_thetas_.size(); ++i)
    largest_of_group_[i / kGroup] =
        std::max(largest_of_group_[i / kGroup], least_thetas_[i].theta_ns);
}

bool GpuClockEvidence::is_before_launch(uint64_t stamp, int64_t launch_raw_ns) {
  if (least_thetas_.empty()) find_least_thetas();
  const int64_t most_ns = stamp_ns(stamp) + steps_.at(launch_raw_ns) - launch_raw_ns;
  const int64_t bin = launch_raw_ns / kHullBinNs;
  asked_ = first_of_bin(least_thetas_, bin - kContradictionBins, asked_);
  // Those near lie in two groups at most.
  static_assert(2 * kContradictionBins + 1 <= kGroup);
  const int64_t* const largest = &largest_of_group_[asked_ / kGroup];
  if (most_ns >= std::max(largest[0], largest[1])) return false;  // mostly
  const LeastTheta* const end = least_thetas_.data() + least_thetas_.size();
  for (const LeastTheta* least = least_thetas_.data() + asked_;
       least != end && least->bin <= bin + kContradictionBins; ++least) {
    if (most_ns >= least->theta_ns) continue;
    const double apart_ns = double(std::llabs(least->bin - bin) + 1) * double(kHullBinNs);
    if (double(most_ns - least->theta_ns) < -kMaxDriftPpm * 1e-6 * apart_ns) return true;
  }
  return false;
}

void GpuClockEvidence::launched(int64_t raw_ns, uint64_t stamp) {
  down_.add(raw_ns, stamp_ns(stamp) + steps_.at(raw_ns));
  reach(raw_ns);
}

GpuClock GpuClockEvidence::solve(GpuPrecision precision) {
  if (least_thetas_.empty()) find_least_thetas();
  const std::vector<HullPoint> down = down_.take(), up = up_.take();
  EdgeBounds bounds;
  bounds.upper.reserve(down.size());
  bounds.lower.reserve(up.size());
  for (const HullPoint& p : down) bounds.add_a_to_b(p);
  for (const HullPoint& p : up) bounds.add_b_to_a(p);
  GpuClock clock;
  EdgeOptions options;
  if (precision == GpuPrecision::Rough) {
    options.grid_ns = kRoughGridNs;
    options.suspects_steps = false;
  }
  options.from_raw_ns = from_raw_ns_;
  options.to_raw_ns = to_raw_ns_;
  clock.model_ = EdgeModel::solve(std::move(bounds), options);
  clock.least_thetas_ = std::move(least_thetas_);
  clock.steps_ = steps_;
  return clock;
}

// One end of theta, at the nearest instant there is.
template <class End>
std::optional<int64_t> GpuClock::theta_ns(int64_t raw_ns, const End& end) const {
  const int64_t at_ns =
      std::clamp(raw_ns, model_.from_raw_ns(), std::max(model_.from_raw_ns(), model_.to_raw_ns()));
  if (!chord_.has(at_ns)) chord_ = model_.chord_at(at_ns);
  if (chord_.has(at_ns)) return end(chord_.at(at_ns));
  const auto theta = model_.at(at_ns);
  return theta ? std::optional<int64_t>(end(*theta)) : std::nullopt;
}

// theta is known by the host's clock: from the sighting, which is near, a few steps reach the stamp's own instant.
template <class End>
int64_t GpuClock::host_ns(uint64_t stamp, int64_t near_raw_ns, const End& end) const {
  int64_t host_ns = near_raw_ns;
  for (int i = 0; i < 3; ++i) {
    const auto theta = theta_ns(host_ns, end);
    if (!theta) return INT64_MIN;
    const int64_t before_ns = std::exchange(host_ns, stamp_ns(stamp) - *theta);
    if (i != 0 && host_ns == before_ns) break;  // further ones would not move it
  }
  return host_ns;
}

std::optional<HostTime> GpuClock::estimate(uint64_t stamp, int64_t near_raw_ns) const {
  if (!model_.answers_everywhere()) return to_host(stamp, near_raw_ns);
  const int64_t ns = host_ns(stamp, near_raw_ns, kLikely) + steps_.at(near_raw_ns) / 2;
  return HostTime{ns, ns, ns};
}

std::optional<HostTime> GpuClock::estimate_in(uint64_t stamp, int64_t near_raw_ns,
                                              int64_t from_raw_ns, int64_t to_raw_ns) const {
  if (model_.answers_everywhere()) {
    const auto time = estimate(stamp, near_raw_ns);
    if (time->ns >= from_raw_ns + kEstimateRoundingNs &&
        time->ns <= to_raw_ns - kEstimateRoundingNs)
      return time;
  }
  return to_host(stamp, near_raw_ns);
}

std::optional<HostTime> GpuClock::to_host(uint64_t stamp, int64_t near_raw_ns) const {
  const int64_t step_ns = steps_.at(near_raw_ns);
  const int64_t ns = host_ns(stamp, near_raw_ns, kLikely);
  const int64_t lo_ns = ns == INT64_MIN ? ns : host_ns(stamp, near_raw_ns, kHighEnd);
  const int64_t hi_ns = ns == INT64_MIN ? ns : host_ns(stamp, near_raw_ns, kLowEnd);
  if (ns != INT64_MIN && lo_ns != INT64_MIN && hi_ns != INT64_MIN)
    return HostTime{ns + step_ns / 2, lo_ns, hi_ns + step_ns};
  // Nothing says when work was launched: the sightings around alone say what is likely.
  std::optional<int64_t> least;
  const int64_t bin = near_raw_ns / kHullBinNs;
  for (size_t at = first_of_bin(least_thetas_, bin - 1, 0);
       at < least_thetas_.size() && least_thetas_[at].bin <= bin + 1; ++at)
    least = std::max(least.value_or(least_thetas_[at].theta_ns), least_thetas_[at].theta_ns);
  if (!least) return std::nullopt;
  return HostTime{stamp_ns(stamp) + step_ns / 2 - *least, INT64_MIN, INT64_MAX};
}

}  // namespace lockstep::clocksync
