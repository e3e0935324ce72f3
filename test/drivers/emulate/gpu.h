// An emulated GPU: a clock of its own, and per communicator one stream of kernels. A kernel
// occupies its channels (Work) from when the one before it ended until all its data went through.
// The progress thread advances it; a user thread launches kernels and waits for them.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "test/drivers/common/clocks.h"
#include "test/drivers/emulate/options.h"

namespace lockstep::driver {

// Nanoseconds that look like CLOCK_REALTIME and are not: their own offset, drift and resolution.
class GpuClock {
 public:
  GpuClock(const GpuClockOptions& options, int rank);
  uint64_t now() const;
  // Where both clocks stood at the beginning.
  int64_t zero_raw_ns() const { return zero_.raw_ns; }
  int64_t zero_ns() const { return zero_.realtime_ns + offset_ns_; }
  // Lets a stand-in for the CUDA driver in this process read the same clock
  // (test/plugins/gpu_clock.cc).
  void publish() const;

 private:
  double rate_;
  int64_t offset_ns_;
  int64_t resolution_ns_;
  Instant zero_;
};

constexpr int kSlots = 4;         // slices a connection buffers
constexpr int kIndependent = -1;  // sends wait for no receive

// One channel of one kernel. Touched by the progress thread only.
struct Work {
  int recv_steps = 0;
  int send_steps = 0;
  int lead = kIndependent;  // how many sends may run ahead of the receives
  int consumed = 0;         // received slices the GPU took
  int sent = 0;             // slices that left
  bool running = false;
  bool done = false;
  uint64_t start_stamp = 0;
  uint64_t stop_stamp = 0;

  // Slices the GPU has made ready to send.
  int filled() const {
    if (!running) return 0;
    return std::min(
        {send_steps, sent + kSlots, lead == kIndependent ? send_steps : consumed + lead});
  }
};

struct Kernel {
  std::vector<std::shared_ptr<Work>> works;
  uint64_t launch_stamp = 0;
  bool started = false;
  bool finished = false;  // guarded by the stream's mutex
  Instant finished_at{};

  // Of the longest channel, once finished.
  uint64_t duration_ns() const {
    uint64_t longest = 0;
    for (const auto& work : works)
      longest = std::max(longest, work->stop_stamp - work->start_stamp);
    return longest;
  }
};

class Stream {
 public:
  explicit Stream(const GpuClock* clock) : clock_(clock) {}
  void launch(const std::shared_ptr<Kernel>& kernel);
  // On the progress thread; answers whether anything changed.
  bool advance();
  // False when the kernel did not finish in time.
  bool wait(const Kernel& kernel, double timeout_us);

 private:
  bool advance_front();

  const GpuClock* clock_;
  std::mutex mutex_;
  std::condition_variable finished_;
  std::deque<std::shared_ptr<Kernel>> kernels_;
  uint64_t last_stop_ = 0;
};

}  // namespace lockstep::driver
