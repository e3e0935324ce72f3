#include "base/thread.h"

#include <ctime>
#include <memory>
#include <new>

#include <signal.h>

namespace lockstep {
namespace {

constexpr size_t kStackBytes = 1 << 20;  // enough for zstd, JSON and the clock's arithmetic

void* run_body(void* argument) {
  const std::unique_ptr<std::function<void()>> body(static_cast<std::function<void()>*>(argument));
  try {
    (*body)();
  } catch (const std::bad_alloc&) {  // the host program goes on
  }
  return nullptr;
}

}  // namespace

std::optional<pthread_t> start_thread(const char* name, void* (*body)(void*), void* argument) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return std::nullopt;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  const bool started = pthread_create(&thread, &attributes, body, argument) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (!started) return std::nullopt;
  pthread_setname_np(thread, name);
  return thread;
}

std::optional<pthread_t> start_thread(const char* name, std::function<void()> body) {
  auto owned = std::make_unique<std::function<void()>>(std::move(body));
  const std::optional<pthread_t> thread = start_thread(name, run_body, owned.get());
  if (thread) static_cast<void>(owned.release());  // run_body has it now
  return thread;
}

bool join_within(pthread_t thread, int patience_ms) {
  timespec until{};
  clock_gettime(CLOCK_REALTIME, &until);  // the only clock that pthread_timedjoin_np knows
  until.tv_nsec += long{patience_ms} * 1'000'000L;
  until.tv_sec += until.tv_nsec / 1'000'000'000L;
  until.tv_nsec %= 1'000'000'000L;
  if (pthread_timedjoin_np(thread, nullptr, &until) == 0) return true;
  pthread_detach(thread);
  return false;
}

bool ServiceThread::start(const char* name, void* (*body)(void*), void* argument) {
  thread_ = start_thread(name, body, argument);
  return running();
}

void ServiceThread::join() {
  if (running()) pthread_join(*thread_, nullptr);
  thread_.reset();
}

}  // namespace lockstep
