// Threads inside a foreign process: every signal blocked, so that the host's handlers never run on
// them (and SIGXFSZ becomes an error of write); a stack of their own size, whatever `ulimit -s` says;
// a name for `top` of at most 15 letters. When a thread cannot be created, start says so; nothing is
// thrown and nothing aborts.
#pragma once

#include <pthread.h>

#include <functional>
#include <optional>

namespace lockstep {

// Empty when the thread cannot be created (EAGAIN); `body` then never runs. The caller joins or
// detaches it.
std::optional<pthread_t> start_thread(const char* name, void* (*body)(void*), void* argument);
// The same for a body that owns what it captured; it is gone when the body has returned. A body that
// runs out of memory ends its thread, not the host program.
std::optional<pthread_t> start_thread(const char* name, std::function<void()> body);

// True when the thread ended within the time; otherwise it is detached and ends by itself.
bool join_within(pthread_t thread, int patience_ms);

// A thread that its owner joins before it may be started again.
class ServiceThread {
 public:
  bool start(const char* name, void* (*body)(void*), void* argument);
  void join();
  bool running() const { return thread_.has_value(); }

 private:
  std::optional<pthread_t> thread_;
};

}  // namespace lockstep
