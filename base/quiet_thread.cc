#include "base/quiet_thread.h"

#include <signal.h>
#include <time.h>

#include <memory>

namespace lockstep::clocksync {
namespace {

void* run_body(void* argument) {
  const std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()>*>(argument));
  (*body)();
  return nullptr;
}

}  // namespace

std::optional<pthread_t> start_quiet_thread(const char* name, std::function<void()> body) {
  auto owned = std::make_unique<std::function<void()>>(std::move(body));
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pthread_t thread;
  const bool started = pthread_create(&thread, nullptr, run_body, owned.get()) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started) return std::nullopt;
  static_cast<void>(owned.release());  // run_body has it now
  pthread_setname_np(thread, name);
  return thread;
}

bool join_within(pthread_t thread, int patience_ms) {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_nsec += long{patience_ms} * 1'000'000L;
  until.tv_sec += until.tv_nsec / 1'000'000'000L;
  until.tv_nsec %= 1'000'000'000L;
  if (pthread_timedjoin_np(thread, nullptr, &until) == 0) return true;
  pthread_detach(thread);
  return false;
}

}  // namespace lockstep::clocksync
