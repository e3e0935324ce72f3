// One GPU's clock (%globaltimer, as NCCL's pTimer shows it) against its host's raw clock, from
// inequalities alone: a kernel does not start before its launch was called, and the host sees a
// stamp only after it was made. Bracketed snapshots (active mode) are the same with shorter
// brackets. A stamp is the truth rounded down to the clock's step, which is found from the stamps
// and becomes slack.
//
// NCCL's stamps can belong to other work: host and GPU count a channel's works independently and
// can get out of step (a send to itself, captured and eager launches on one communicator), and the
// ring that passes stamps holds 64 works, so a late reader sees a later one's. An old stamp
// contradicts the launch it is shown for, so it must be kept out there. Sightings are true whatever
// work they belong to, so they decide. Memory grows with time, not with events. Plain numbers in;
// offline, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "clocksync/solve/edge_solver.h"
#include "clocksync/solve/thinned_points.h"
#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

// Of the GPU clocks known; assumed where too few stamps tell.
inline constexpr int64_t kWidestGpuStepNs = 1024;

// The step of the clock that made these stamps: the greatest common divisor of most of them (a few
// may be garbage).
int64_t detect_granularity_ns(const std::vector<uint64_t>& stamps);

// The step minute by minute: it changes when another tool asks the driver for a finer clock.
class GpuSteps {
 public:
  void add(uint64_t stamp, int64_t raw_ns);
  void add(const GpuSteps& other);
  int64_t at(int64_t raw_ns) const;
  int64_t widest() const;

 private:
  static constexpr size_t kBatch = 32;  // different stamps per divisor: 2^-32 to be too large
  std::map<int64_t, int64_t> by_minute_;
  std::array<uint64_t, kBatch> batch_{};
  size_t batched_ = 0;
  uint64_t latest_ = 0;                                        // of the batch
  int64_t minute_ = INT64_MIN;                                 // of the batch
  mutable int64_t asked_minute_ = INT64_MIN, asked_step_ = 0;  // what at() said last
};

// When a stamp was made, on the host's raw clock.
struct HostTime {
  int64_t ns = 0;                // estimate
  int64_t lo_ns = 0, hi_ns = 0;  // guaranteed; the least and largest number when nothing is
};

// Exact: to nanoseconds beside what the stamps and sightings leave open. Rough: to microseconds, for a tenth of the work:
// instants lie 4 s apart (what is guaranteed is 200 ns wider), and the GPU's clock is taken for one that steps only where
// its stamps contradict each other otherwise.
enum class GpuPrecision : uint8_t { Exact, Rough };

// The least that theta can be by the sightings of a bin of host time (kHullBinNs); by bin.
struct LeastTheta {
  int64_t bin = 0, theta_ns = 0;
};
using LeastThetas = std::vector<LeastTheta>;

// Asked by one thread at a time: it keeps what it was asked for last.
class GpuClock {
 public:
  // For a stamp seen at about near_raw_ns.
  std::optional<HostTime> to_host(uint64_t stamp, int64_t near_raw_ns) const;
  // The same for who asks for no bounds, but whether there are any: lo_ns and hi_ns are those of the estimate then.
  std::optional<HostTime> estimate(uint64_t stamp, int64_t near_raw_ns) const;
  // The same for who asks only whether all that the bounds allow lies outside of [from_raw_ns, to_raw_ns]: of an estimate
  // inside, which its bounds surround, no bounds are worked out.
  std::optional<HostTime> estimate_in(uint64_t stamp, int64_t near_raw_ns, int64_t from_raw_ns,
                                      int64_t to_raw_ns) const;
  int64_t granularity_ns() const { return steps_.widest(); }
  const EdgeModel& model() const { return model_; }

 private:
  friend class GpuClockEvidence;
  template <class End>
  std::optional<int64_t> theta_ns(int64_t raw_ns, const End& end) const;
  template <class End>
  int64_t host_ns(uint64_t stamp, int64_t near_raw_ns, const End& end) const;

  EdgeModel model_;  // theta = GPU's clock - host's clock, on the host's clock
  LeastThetas least_thetas_;
  GpuSteps steps_;
  mutable EdgeModel::Chord chord_;  // around the instant asked for last
};

// Everything known of one GPU's clock, gathered in any order; then `launched` for each launch that
// is not contradicted, then solve().
class GpuClockEvidence {
 public:
  // The host saw at raw_ns that the GPU had made the stamp.
  void seen(uint64_t stamp, int64_t raw_ns);
  void snapshot(const GpuSnapshot& snapshot);
  void add(GpuClockEvidence other);  // of the same GPU

  // What was seen around the launch proves that the stamp is older. Ask after the last sighting.
  bool is_before_launch(uint64_t stamp, int64_t launch_raw_ns);
  // The work that made the stamp was launched at or after raw_ns.
  void launched(int64_t raw_ns, uint64_t stamp);
  GpuClock solve(GpuPrecision precision = GpuPrecision::Exact);

 private:
  void find_least_thetas();
  void reach(int64_t raw_ns);

  // The hulls lose their outermost points; answers are wanted there, too.
  std::optional<int64_t> from_raw_ns_, to_raw_ns_;
  ThinnedPoints up_, down_;  // GPU before host, host before GPU
  static constexpr size_t kGroup = 16;
  LeastThetas least_thetas_;
  std::vector<int64_t> largest_of_group_;  // of so many of them in a row, and of none at the end
  size_t asked_ = 0;                       // where is_before_launch() looked last
  // The last stamps by a few of their bits, and when each was seen first.
  struct Sighting {
    uint64_t stamp = 0;
    int64_t raw_ns = INT64_MAX;
  };
  std::array<Sighting, 16> lately_;
  GpuSteps steps_;
};

}  // namespace lockstep::clocksync
