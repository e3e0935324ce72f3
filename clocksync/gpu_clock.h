// One GPU's clock (%globaltimer, as NCCL's pTimer shows it) against its host's raw clock, from
// inequalities alone: a kernel does not start before its launch was called, and the host sees a
// stamp only after it was made. Bracketed snapshots (active mode) are the same with shorter
// brackets. A stamp is the truth rounded down to the clock's step, which is found from the stamps
// and becomes slack.
//
// NCCL's stamps can belong to other work: its counters slip (nccl-profiler.md 2.11, 2.15 rows 24 to
// 27). An old stamp contradicts the launch it is shown for; such stamps are flagged and kept out.
// Sightings are true whatever work they belong to, so they decide. Plain numbers in; offline, one
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clocksync/edge_solver.h"
#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

// One kernel on one channel. Stamps are 0 and host times kUnknownTime (INT64_MIN) when missing.
struct GpuWork {
  uint64_t operation = 0;  // any number that tells operations apart
  uint32_t channel = 0;
  int64_t launch_raw_ns = INT64_MIN;      // the launch was called; not when it returned
  int64_t start_seen_raw_ns = INT64_MIN;  // the host saw the start stamp
  int64_t stop_seen_raw_ns = INT64_MIN;   // the host saw the stop stamp
  uint64_t start_stamp = 0, stop_stamp = 0;
};

enum GpuStampFlag : uint8_t {
  kStampMissing = 1,     // a stamp is 0
  kStopBeforeStart = 2,  // or longer than 10 minutes
  kBeforeLaunch = 4,     // the start stamp is surely older than the launch
  kAfterSeen = 8,        // a stamp is surely younger than its sighting
  kStampReused = 16,     // the same start on the same channel was shown for other work before
  kSharedInterval = 32,  // several operations of one batch have these very stamps: no error
};
// Any of these: do not use the stamps.
inline constexpr uint8_t kStampSuspect =
    kStampMissing | kStopBeforeStart | kBeforeLaunch | kAfterSeen | kStampReused;

struct HostTime {
  int64_t ns = 0, lo_ns = 0, hi_ns = 0;  // the host's raw clock
};

class GpuClock {
 public:
  // `works` in the order in which the host saw them.
  static GpuClock solve(const std::vector<GpuWork>& works,
                        const std::vector<GpuSnapshot>& snapshots);

  // When the stamp was made, for a stamp seen at about near_raw_ns.
  std::optional<HostTime> to_host(uint64_t stamp, int64_t near_raw_ns) const;
  uint8_t flags(size_t work) const { return flags_[work]; }
  int64_t granularity_ns() const { return granularity_ns_; }
  const EdgeModel& model() const { return model_; }

 private:
  EdgeModel model_;  // theta = GPU's clock - host's clock, on the host's clock
  int64_t granularity_ns_ = 1;
  std::vector<uint8_t> flags_;
};

// The step of the clock that made these stamps: the greatest common divisor of most of them (a few
// may be garbage). 1 when there are too few to tell.
int64_t detect_granularity_ns(const std::vector<uint64_t>& stamps);

}  // namespace lockstep::clocksync
