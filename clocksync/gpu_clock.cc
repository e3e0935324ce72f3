#include "clocksync/gpu_clock.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "clocksync/collective_bounds.h"
#include "clocksync/hull.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kTooLongNs = 600'000'000'000;
constexpr size_t kBatch = 16;  // stamps per divisor: steps of 32 ns are found with 16 of them
constexpr int64_t kMaxStepNs = 1 << 20;
// Sightings this far away still speak against an old stamp, at the largest drift of the two clocks.
constexpr int64_t kContradictionBins = 5;
constexpr double kMaxDriftPpm = 400;

int64_t stamp_ns(uint64_t stamp) { return int64_t(stamp); }

uint8_t flags_alone(const GpuWork& w) {
  if (w.start_stamp == 0 || w.stop_stamp == 0) return kStampMissing;
  const bool bad =
      w.stop_stamp < w.start_stamp || stamp_ns(w.stop_stamp - w.start_stamp) > kTooLongNs;
  return bad ? kStopBeforeStart : 0;
}

// Batches share their stamps; the same start in a later batch is an old slot.
void flag_repeats(const std::vector<GpuWork>& works, std::vector<uint8_t>* flags) {
  struct Seen {
    uint64_t stop_stamp;
    size_t last;
    int64_t launch_raw_ns;
  };
  std::map<std::pair<uint32_t, uint64_t>, Seen> seen;
  for (size_t i = 0; i < works.size(); ++i) {
    const GpuWork& w = works[i];
    if (((*flags)[i] & kStampMissing) != 0) continue;
    const auto [at, is_new] =
        seen.insert({{w.channel, w.start_stamp}, {w.stop_stamp, i, w.launch_raw_ns}});
    if (is_new) continue;
    const bool same_batch =
        at->second.stop_stamp == w.stop_stamp && at->second.launch_raw_ns == w.launch_raw_ns;
    (*flags)[i] |= same_batch ? kSharedInterval : kStampReused;
    if (same_batch) (*flags)[at->second.last] |= kSharedInterval;
    at->second.last = i;
  }
}

// The highest lower bound of theta per 0.1 s of host time.
class Sightings {
 public:
  void add(int64_t seen_raw_ns, uint64_t stamp) {
    const int64_t theta_ns = stamp_ns(stamp) - seen_raw_ns;
    const auto [at, is_new] = best_.insert({seen_raw_ns / kHullBinNs, theta_ns});
    if (!is_new) at->second = std::max(at->second, theta_ns);
  }
  // theta(x) <= offset_ns contradicts what was seen around x.
  bool contradict(int64_t x_raw_ns, int64_t offset_ns) const {
    const int64_t bin = x_raw_ns / kHullBinNs;
    for (auto at = best_.lower_bound(bin - kContradictionBins);
         at != best_.end() && at->first <= bin + kContradictionBins; ++at) {
      const double apart_ns = double(std::llabs(at->first - bin) + 1) * double(kHullBinNs);
      if (double(offset_ns - at->second) < -kMaxDriftPpm * 1e-6 * apart_ns) return true;
    }
    return false;
  }

 private:
  std::map<int64_t, int64_t> best_;
};

using Bins = std::map<int64_t, std::vector<HullPoint>>;

// `sent` on one clock was before `received` on the other.
void add(Bins* bins, int64_t sent_ns, int64_t received_ns) {
  (*bins)[sent_ns / kHullBinNs].push_back({sent_ns, received_ns - sent_ns, StampKind::None, 0});
}

class Observations {
 public:
  explicit Observations(int64_t granularity_ns) : granularity_ns_(granularity_ns) {}

  // The host's instant came first.
  void host_first(int64_t raw_ns, uint64_t stamp) {
    add(&down_, raw_ns, stamp_ns(stamp) + granularity_ns_);
  }
  void gpu_first(uint64_t stamp, int64_t raw_ns) { add(&up_, stamp_ns(stamp), raw_ns); }

  EdgeBounds take() {
    EdgeBounds bounds;
    for (auto& bin : down_) {
      for (const HullPoint& p : reduce_to_hull(std::move(bin.second))) bounds.add_a_to_b(p);
    }
    for (auto& bin : up_) {
      for (const HullPoint& p : reduce_to_hull(std::move(bin.second))) bounds.add_b_to_a(p);
    }
    return bounds;
  }

 private:
  int64_t granularity_ns_;
  Bins down_, up_;
};

template <typename Each>
void for_each_sighting(const GpuWork& w, Each each) {
  if (w.start_stamp != 0 && w.start_seen_raw_ns != kUnknownTime)
    each(w.start_stamp, w.start_seen_raw_ns);
  if (w.stop_stamp != 0 && w.stop_seen_raw_ns != kUnknownTime)
    each(w.stop_stamp, w.stop_seen_raw_ns);
}

std::vector<uint64_t> all_stamps(const std::vector<GpuWork>& works,
                                 const std::vector<GpuSnapshot>& snapshots) {
  std::vector<uint64_t> stamps;
  for (const GpuWork& w : works) {
    for (const uint64_t stamp : {w.start_stamp, w.stop_stamp}) {
      if (stamp != 0) stamps.push_back(stamp);
    }
  }
  for (const GpuSnapshot& s : snapshots) stamps.push_back(uint64_t(s.gpu_ns));
  return stamps;
}

}  // namespace

int64_t detect_granularity_ns(const std::vector<uint64_t>& stamps) {
  std::vector<int64_t> divisors;
  for (size_t i = 0; i + kBatch <= stamps.size(); i += kBatch) {
    uint64_t divisor = 0;
    for (size_t k = 0; k < kBatch; ++k) divisor = std::gcd(divisor, stamps[i + k]);
    divisors.push_back(int64_t(std::min<uint64_t>(divisor, kMaxStepNs)));
  }
  if (divisors.empty()) return 1;
  const auto middle = divisors.begin() + int64_t(divisors.size() / 2);
  std::nth_element(divisors.begin(), middle, divisors.end());
  return std::max<int64_t>(*middle, 1);
}

GpuClock GpuClock::solve(const std::vector<GpuWork>& works,
                         const std::vector<GpuSnapshot>& snapshots) {
  GpuClock clock;
  clock.granularity_ns_ = detect_granularity_ns(all_stamps(works, snapshots));
  for (const GpuWork& w : works) clock.flags_.push_back(flags_alone(w));
  flag_repeats(works, &clock.flags_);
  Observations observations(clock.granularity_ns_);
  Sightings sightings;
  for (const GpuWork& w : works) {
    for_each_sighting(w, [&](uint64_t stamp, int64_t seen_ns) {
      sightings.add(seen_ns, stamp);
      observations.gpu_first(stamp, seen_ns);
    });
  }
  for (const GpuSnapshot& s : snapshots) {
    sightings.add(s.raw_hi_ns, uint64_t(s.gpu_ns));
    observations.gpu_first(uint64_t(s.gpu_ns), s.raw_hi_ns);
    observations.host_first(s.raw_lo_ns, uint64_t(s.gpu_ns));
  }
  for (size_t i = 0; i < works.size(); ++i) {
    const GpuWork& w = works[i];
    if (w.launch_raw_ns == kUnknownTime || (clock.flags_[i] & kStampSuspect) != 0) continue;
    const int64_t bound_ns = stamp_ns(w.start_stamp) + clock.granularity_ns_ - w.launch_raw_ns;
    if (sightings.contradict(w.launch_raw_ns, bound_ns)) {
      clock.flags_[i] |= kBeforeLaunch;
    } else {
      observations.host_first(w.launch_raw_ns, w.start_stamp);
    }
  }
  clock.model_ = EdgeModel::solve(observations.take(), EdgeOptions());
  for (size_t i = 0; i < works.size(); ++i) {
    const GpuWork& w = works[i];
    if ((clock.flags_[i] & kStampSuspect) != 0) continue;
    if (w.launch_raw_ns != kUnknownTime) {
      const auto start = clock.to_host(w.start_stamp, w.launch_raw_ns);
      if (start && start->hi_ns < w.launch_raw_ns) clock.flags_[i] |= kBeforeLaunch;
    }
    for_each_sighting(w, [&](uint64_t stamp, int64_t seen_ns) {
      const auto made = clock.to_host(stamp, seen_ns);
      if (made && made->lo_ns > seen_ns) clock.flags_[i] |= kAfterSeen;
    });
  }
  return clock;
}

std::optional<HostTime> GpuClock::to_host(uint64_t stamp, int64_t near_raw_ns) const {
  // theta is known by the host's clock: from the sighting, two steps reach the stamp's own instant.
  int64_t host_ns = std::clamp(near_raw_ns, model_.from_raw_ns(),
                               std::max(model_.from_raw_ns(), model_.to_raw_ns()));
  std::optional<OffsetInterval> theta;
  for (int i = 0; i < 3; ++i) {
    theta = model_.at(std::clamp(host_ns, model_.from_raw_ns(),
                                 std::max(model_.from_raw_ns(), model_.to_raw_ns())));
    if (!theta) return std::nullopt;
    host_ns = stamp_ns(stamp) - theta->estimate_ns();
  }
  return HostTime{host_ns + granularity_ns_ / 2, stamp_ns(stamp) - theta->hi_ns,
                  stamp_ns(stamp) + granularity_ns_ - theta->lo_ns};
}

}  // namespace lockstep::clocksync
