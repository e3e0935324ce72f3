// The clocks of a simulated host and of its GPUs: where each stands and how fast it runs against true
// time, which counts nanoseconds since the job began. A tick of the recorder is a nanosecond of
// CLOCK_MONOTONIC_RAW. Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "lockstep/shared_blocks.h"
#include "lockstep/status.h"
#include "test/drivers/simulate/layout.h"
#include "test/drivers/simulate/random.h"

namespace lockstep::simulate {

class HostClock {
 public:
  HostClock(int host, const Random& random);

  uint64_t raw_ns(int64_t true_ns) const { return line(raw_base_ns_, raw_ppb_, true_ns); }
  // Of the recorder, from one second before the job began.
  uint64_t ticks(int64_t true_ns) const { return raw_ns(true_ns) - raw_base_ns_ + 1'000'000'000; }
  uint64_t real_ns(int64_t true_ns) const { return kRealBaseNs + static_cast<uint64_t>(true_ns); }
  // What a GPU's globaltimer says; its resolution is 32 ns.
  uint64_t gpu_ns(int64_t true_ns, int gpu) const;
  Anchor anchor(int64_t true_ns) const;

 private:
  static constexpr uint64_t kRealBaseNs = 1'790'000'000'000'000'000;
  static uint64_t line(uint64_t base_ns, int64_t ppb, int64_t true_ns) {
    return base_ns + static_cast<uint64_t>(true_ns + true_ns / 1'000 * ppb / 1'000'000);
  }

  uint64_t raw_base_ns_;
  int64_t raw_ppb_;
  uint64_t gpu_seed_;
};

std::string host_name(int host);

// clock_model.json beside the segments, from the true clocks: what `lockstep align` would find.
Status save_clock_model(const Layout& layout, const Random& random, int64_t end_ns,
                        const std::string& directory);

}  // namespace lockstep::simulate
