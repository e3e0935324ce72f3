// Where a host's time comes from. The prober's thread reads CLOCK_MONOTONIC_RAW (never slewed)
// through this interface and turns the kernel's packet stamps, which are CLOCK_REALTIME, into RAW
// with a snapshot of both clocks taken close by. VirtualClock puts a known distortion (offset,
// skew, wander, steps) behind the same interface: the tests' source of truth, in simulation and in
// real processes. Nothing here sleeps, allocates after construction, or changes a clock.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/clock_record.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

// A stamp on RAW that may err by up to uncertainty_ns to either side.
struct RawStamp {
  int64_t raw_ns = 0;
  int64_t uncertainty_ns = 0;
};

class ClockSource {
 public:
  virtual ~ClockSource() = default;
  virtual int64_t raw_ns() const = 0;
  // RAW, REALTIME and MONOTONIC read together: the tightest of a few attempts.
  virtual ClockSnapshot snapshot() const = 0;
  // A REALTIME stamp taken near `near`, on RAW. The uncertainty holds half the snapshot's bracket
  // and the fastest slew (kMaxSlewPpm) over the distance between stamp and snapshot, so take one
  // snapshot per batch.
  virtual RawStamp to_raw(int64_t real_ns, const ClockSnapshot& near) const = 0;
};

// The fastest rate difference between REALTIME and RAW we allow for: 500 ppm is the kernel's limit
// for a disciplined clock. A snapshot that jumped further than this since the last one is a step.
inline constexpr double kMaxSlewPpm = 500;

// True when REALTIME moved against RAW between two snapshots by more than slewing explains: stamps
// taken in between must be dropped.
bool realtime_stepped(const ClockSnapshot& before, const ClockSnapshot& after);

class HostClock final : public ClockSource {
 public:
  int64_t raw_ns() const override;
  ClockSnapshot snapshot() const override;
  RawStamp to_raw(int64_t real_ns, const ClockSnapshot& near) const override;
};

// virtual(x) = x + offset + skew*(x-x0) + integral of wander_ppm*sin(2 pi (x-x0)/period) + steps.
// Its largest frequency change is wander_ppm * 2 pi / period: 0.05 ppm over 10 s is 31 ns/s^2.
struct VirtualClockModel {
  struct Step {
    int64_t at_ns = 0;  // on the undistorted clock
    int64_t jump_ns = 0;
  };
  int64_t x0_ns = 0;
  int64_t offset_ns = 0;
  double skew_ppm = 0;
  double wander_ppm = 0;
  double wander_period_s = 10;
  std::vector<Step> steps;

  int64_t at(int64_t true_ns) const;
  // The undistorted instant at which this clock shows virtual_ns, to 1 ns; undefined inside a step.
  int64_t inverse(int64_t virtual_ns) const;
  double max_curvature_ns_s2() const;
};

// "offset_ns=1230000000,skew_ppm=37,wander_ppm=0.05,wander_period_s=10,step=5.0:2000000"; every key
// is optional, `step` (seconds after x0, then ns) may repeat. x0 is the instant of parsing on
// `base` unless given as x0_ns=N, so that several processes can share one.
Result<VirtualClockModel> parse_virtual_clock(const std::string& text, const ClockSource& base);

class VirtualClock final : public ClockSource {
 public:
  VirtualClock(const ClockSource& base, VirtualClockModel model)
      : base_(base), model_(std::move(model)) {}
  int64_t raw_ns() const override { return model_.at(base_.raw_ns()); }
  ClockSnapshot snapshot() const override;
  RawStamp to_raw(int64_t real_ns, const ClockSnapshot& near) const override;
  const VirtualClockModel& model() const { return model_; }

 private:
  const ClockSource& base_;
  const VirtualClockModel model_;
};

}  // namespace lockstep::clocksync
