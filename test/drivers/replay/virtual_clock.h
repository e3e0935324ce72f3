// Time that stands still between the calls of a log. While it is on, every reader of CLOCK_MONOTONIC_RAW and
// CLOCK_REALTIME in this process, the plugin among them, gets the time of the call that its thread is making; threads
// that play no log get the latest such time. CLOCK_MONOTONIC stays real: deadlines and pauses use it. The processor's
// counter cannot be made to stand still, so the plugin is told that this kernel does not trust it.
#pragma once

#include <cstdint>

namespace lockstep::driver::virtual_clock {

// From now on, in the whole process. Before the plugin is loaded.
void switch_on(int64_t realtime_minus_raw_ns);
// The calling thread's time; never below 1.
void set_raw_ns(int64_t raw_ns);
// The calling thread plays no more: it follows the others.
void follow();
// All calls are made; time goes on to this moment and stands still again. Returns once a thread that notes the time now
// and then, as the plugin's own do, has noted this one, or after three real seconds.
void go_on_to(int64_t raw_ns);

}  // namespace lockstep::driver::virtual_clock
