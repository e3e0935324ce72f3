// What the prober of this process has done since it started; all zero when it is off. Plain data,
// copied out of the prober once a second, so anybody may ask at any time.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep::clocksync {

struct ClockSyncHealth {
  bool leader = false;
  uint32_t hosts = 0, peers = 0, peers_up = 0;
  // Of one core, the prober's thread.
  double cpu_percent = 0;
  uint64_t packets_sent = 0, packets_received = 0, bytes_sent = 0, points = 0;
  // "name=value" of every counter that is not zero.
  std::string counters;
};

}  // namespace lockstep::clocksync
