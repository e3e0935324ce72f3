// Turns the kernel's packet stamps (CLOCK_REALTIME) into CLOCK_MONOTONIC_RAW of this host. Both
// clocks are read together at every batch; a stamp between two such snapshots is interpolated, and
// the uncertainty grows by whatever the clocks did between the two that their long-term rate does
// not explain. So a slow batch (stamps some milliseconds old) costs nothing while REALTIME runs
// evenly, and a slewed or stepped REALTIME costs width, never truth. Used by the prober's thread
// alone.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "clocksync/wire/clock_source.h"

namespace lockstep::clocksync {

class StampConverter {
 public:
  explicit StampConverter(const ClockSource& clock);

  // Takes the snapshot that closes a batch: call it after the batch was read and before converting
  // it. False: CLOCK_REALTIME was stepped since the last batch, the stamps in between must be
  // dropped.
  bool close_batch();

  // Nothing for a stamp outside of the last kRemembered batches by more than kLargestGapNs. A flood
  // makes packets wait for several batches.
  std::optional<RawStamp> to_raw(int64_t real_ns) const;

 private:
  static constexpr int64_t kLargestGapNs = 2'000'000;
  static constexpr size_t kRemembered = 16;
  struct Batch {
    ClockSnapshot before, now;
    int64_t surprise_ns;
  };

  const ClockSource& clock_;
  std::deque<Batch> batches_;  // none: REALTIME was just stepped
  ClockSnapshot now_;
  // The snapshot from which the long-term rate is taken: half a second old or older.
  ClockSnapshot anchor_;
  double rate_ = 0;  // of (REALTIME - RAW) against RAW
};

}  // namespace lockstep::clocksync
