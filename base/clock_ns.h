// What the system's clocks say, in nanoseconds; the name says which clock. Never fails: a sandbox that
// refuses the call leaves 0. Any thread; a call of the vDSO, no system call where the machine's
// counter can be read by programs.
#pragma once

#include <cstdint>
#include <ctime>

namespace lockstep {

constexpr int64_t ns_of(const timespec& time) {
  return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline int64_t clock_now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return ns_of(now);
}

// Since the host booted; slewed by NTP. For deadlines and pauses.
inline int64_t mono_now_ns() { return clock_now_ns(CLOCK_MONOTONIC); }
// Since the host booted, by the oscillator alone. The clock of records.
inline int64_t raw_now_ns() { return clock_now_ns(CLOCK_MONOTONIC_RAW); }
// Since 1970; may be set, so it can jump.
inline int64_t real_now_ns() { return clock_now_ns(CLOCK_REALTIME); }
// Processor time of the calling thread; this one is a system call.
inline int64_t thread_cpu_now_ns() { return clock_now_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace lockstep
