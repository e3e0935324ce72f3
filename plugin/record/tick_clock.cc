#include "plugin/record/tick_clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cstring>
#if defined(__x86_64__)
#include <cpuid.h>

#include "base/clock_ns.h"
#endif

namespace lockstep::plugin {

TickClock tick_clock;

namespace {

// The kernel itself trusts a counter across cores only when it uses it as its clock source; the
// CPU's bit alone does not tell about a hypervisor that migrates guests.
[[maybe_unused]] bool kernel_uses(const char* source) {
  const int fd = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                      O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char name[32] = {};
  const ssize_t got = read(fd, name, sizeof name - 1);
  close(fd);
  return got > 0 && std::strncmp(name, source, std::strlen(source)) == 0;
}

#if defined(__x86_64__)
bool counter_is_usable() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kInvariantTsc = 1u << 8;
  return __get_cpuid(0x80000007u, &a, &b, &c, &d) != 0 && (d & kInvariantTsc) != 0 &&
         kernel_uses("tsc");
}
#elif defined(__aarch64__)
// The generic timer is architecturally constant-rate and shared.
bool counter_is_usable() { return kernel_uses("arch_sys_counter"); }
#else
bool counter_is_usable() { return false; }
#endif

}  // namespace

void choose_tick_clock() {
  tick_clock.counter = counter_is_usable();
  tick_clock.base = tick_clock.counter ? read_counter() : static_cast<uint64_t>(raw_now_ns());
}

Anchor take_anchor() {
  Anchor best{};
  uint64_t best_width = ~uint64_t{0};
  for (int i = 0; i < 4; ++i) {
    const uint64_t before = now_ticks();
    const uint64_t raw = static_cast<uint64_t>(raw_now_ns());
    const uint64_t after = now_ticks();
    const uint64_t real = static_cast<uint64_t>(real_now_ns());
    const uint64_t mono = static_cast<uint64_t>(mono_now_ns());
    if (after - before < best_width) {
      best_width = after - before;
      best = {before + (after - before) / 2, raw, real, mono};
    }
  }
  return best;
}

}  // namespace lockstep::plugin
