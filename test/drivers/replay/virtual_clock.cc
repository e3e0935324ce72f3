#include "test/drivers/replay/virtual_clock.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstring>

namespace lockstep::driver::virtual_clock {
namespace {

std::atomic<bool> is_on{false};
std::atomic<int64_t> latest_raw_ns{1};
int64_t realtime_minus_raw = 0;
thread_local int64_t own_raw_ns = 0;  // 0: follows
// In go_on_to(): whether followers are waited for, and whether one has noted the time and come back later.
std::atomic<bool> is_last{false}, was_noted{false};
thread_local int64_t first_asked_ns = 0;
constexpr int64_t kLaterNs = 250'000'000;

int64_t real_mono_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * int64_t{1'000'000'000} + now.tv_nsec;
}

void note_asked(clockid_t clock) {
  if (clock != CLOCK_REALTIME || own_raw_ns != 0 || !is_last.load(std::memory_order_acquire))
    return;
  const int64_t now_ns = real_mono_ns();
  if (first_asked_ns == 0) first_asked_ns = now_ns;
  if (now_ns - first_asked_ns >= kLaterNs) was_noted.store(true, std::memory_order_release);
}

bool answers(clockid_t clock, timespec* time) {
  if (!is_on.load(std::memory_order_acquire)) return false;
  if (clock != CLOCK_MONOTONIC_RAW && clock != CLOCK_REALTIME) return false;
  int64_t ns = own_raw_ns != 0 ? own_raw_ns : latest_raw_ns.load(std::memory_order_relaxed);
  note_asked(clock);
  if (clock == CLOCK_REALTIME) ns += realtime_minus_raw;
  *time = {ns / 1'000'000'000, ns % 1'000'000'000};
  return true;
}

bool names_the_counter(const char* path) {
  return is_on.load(std::memory_order_acquire) &&
         std::strcmp(path, "/sys/devices/system/clocksource/clocksource0/current_clocksource") == 0;
}

}  // namespace

void switch_on(int64_t realtime_minus_raw_ns) {
  realtime_minus_raw = realtime_minus_raw_ns;
  is_on.store(true, std::memory_order_release);
}

void set_raw_ns(int64_t raw_ns) {
  own_raw_ns = raw_ns;
  int64_t latest = latest_raw_ns.load(std::memory_order_relaxed);
  while (latest < raw_ns &&
         !latest_raw_ns.compare_exchange_weak(latest, raw_ns, std::memory_order_relaxed)) {
  }
}

void follow() { own_raw_ns = 0; }

void go_on_to(int64_t raw_ns) {
  set_raw_ns(raw_ns);
  is_last.store(true, std::memory_order_release);
  constexpr timespec kPause{0, 5'000'000};
  for (int pauses = 0; pauses < 600 && !was_noted.load(std::memory_order_acquire); ++pauses)
    nanosleep(&kPause, nullptr);
  follow();
}

}  // namespace lockstep::driver::virtual_clock

// A program's own definitions win over the C library's, in libraries it loads later as well.
extern "C" {

__attribute__((visibility("default"))) int clock_gettime(clockid_t clock, timespec* time) noexcept {
  using Function = int (*)(clockid_t, timespec*);
  static const auto real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "clock_gettime"));
  if (lockstep::driver::virtual_clock::answers(clock, time)) return 0;
  return real(clock, time);
}

__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  // O_TMPFILE holds the bit of O_DIRECTORY.
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = makes ? va_arg(more, mode_t) : 0;
  va_end(more);
  if (lockstep::driver::virtual_clock::names_the_counter(path)) path = "/dev/null";
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

}  // extern "C"
