// The GPU stamps of one process: which of them can be believed, and where they lie on the host's
// clock (clocksync/solve/gpu_clock.h). Fed while the process's records are joined, asked once at the end.
// One clock per GPU: as the active snapshots name it, else one for the process, or one for each
// communicator when the process holds several ranks of one. Memory grows with time and with
// repeated stamps, not with events.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "analysis/join/process_operations.h"
#include "analysis/tables/tables.h"
#include "base/id_series.h"
#include "clocksync/solve/gpu_clock.h"

namespace lockstep::analysis {

// NCCL's stamps are nanoseconds, 0 where it had none; more than 10 minutes apart they are garbage.
bool are_an_interval(uint64_t start_stamp, uint64_t stop_stamp);

class GpuTimes {
 public:
  // At seen_ns the host saw that the GPU had made the stamp.
  void seen(uint32_t comm, uint64_t stamp, int64_t seen_ns);
  // One channel of one operation's kernel has ended.
  void ended(EventId operation, uint8_t channel, uint64_t start_stamp, uint64_t stop_stamp);
  void snapshot(GpuSnapshot snapshot) { snapshots_.push_back(std::move(snapshot)); }

  // Puts the kernel times of `rows`, raw stamps so far, on the host's clock with their intervals,
  // or says that they are suspect. `row_at` finds rows by event id; launched_ns, beside `rows`, is
  // an instant before each kernel started, or kNoTime; `precision`: of GPUs' clocks.
  template <typename Row>
  void map(const std::vector<JoinedComm>& comms, const IdSeries& row_at,
           const std::vector<int64_t>& launched_ns, clocksync::GpuPrecision precision,
           std::vector<Row>* rows);

 private:
  // The last operation that showed a start stamp, by the stamp's low bits.
  struct Shown {
    uint64_t start_stamp = 0, stop_stamp = 0;
    EventId operation = 0;
  };
  using Channel = std::array<Shown, 128>;  // twice the slots of NCCL's own ring
  struct Repeat {
    EventId first = 0, again = 0;
    bool same_stop = false;
  };
  template <typename Row>
  void flag_repeats(const IdSeries& row_at, std::vector<Row>* rows) const;
  std::map<uint32_t, std::string> gpus_of(const std::vector<JoinedComm>& comms) const;

  std::map<uint32_t, clocksync::GpuClockEvidence> evidence_;  // by communicator
  clocksync::GpuClockEvidence* last_ = nullptr;  // in it, of the communicator asked for last
  uint32_t last_comm_ = 0;
  std::map<uint32_t, Channel> shown_;  // by communicator and channel
  std::vector<Repeat> repeats_;
  std::vector<GpuSnapshot> snapshots_;
};

}  // namespace lockstep::analysis
