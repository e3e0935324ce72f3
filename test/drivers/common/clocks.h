// The clocks truth is written in.
#pragma once

#include <time.h>

#include <cstdint>

namespace lockstep::driver {

inline int64_t clock_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

struct Instant {
  int64_t realtime_ns;
  int64_t raw_ns;
};
inline Instant now() { return {clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_MONOTONIC_RAW)}; }

}  // namespace lockstep::driver
