// The clock of the hot path: the CPU's invariant counter where there is one, else
// CLOCK_MONOTONIC_RAW. Ticks have no unit of their own; an Anchor, taken by the keeper thread at
// least every 100 ms, ties them to the kernel's clocks, and readers convert piecewise. Measured:
// a read of the counter takes 10 ns, of the vDSO's clock 22 ns.
#pragma once

#include <ctime>

#include "base/clock_ns.h"
#include "lockstep/shared_blocks.h"
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace lockstep::plugin {

struct TickClock {
  bool counter = false;  // false: ticks are nanoseconds of CLOCK_MONOTONIC_RAW
  uint64_t base = 0;     // raw reading that is tick 0
};
extern TickClock tick_clock;  // written once, before the first event

// Decides the source and sets tick 0 to now. Cold.
void choose_tick_clock();
// Reads all clocks as closely together as possible (best of a few tries). Cold.
Anchor take_anchor();

inline uint64_t read_counter() {
#if defined(__x86_64__)
  return __rdtsc();
#elif defined(__aarch64__)
  uint64_t value;
  asm volatile("mrs %0, cntvct_el0" : "=r"(value));
  return value;
#else
  return 0;
#endif
}

inline uint64_t now_ticks() {
  const uint64_t raw = __builtin_expect(tick_clock.counter, 1)
                           ? read_counter()
                           : static_cast<uint64_t>(raw_now_ns());
  return raw - tick_clock.base;
}

}  // namespace lockstep::plugin
