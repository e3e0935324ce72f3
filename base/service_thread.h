// A background thread inside a foreign process: every signal blocked, so that the host's handlers
// never run on it (and SIGXFSZ becomes an error of write); creation can fail without an exception;
// joined before it may be started again.
#pragma once

#include <pthread.h>

namespace lockstep::dumper {

class ServiceThread {
 public:
  // false when the system gives no thread (EAGAIN); `body(argument)` then never runs. `name` has at
  // most 15 letters.
  bool start(const char* name, void* (*body)(void*), void* argument);
  void join();
  bool running() const { return running_; }

 private:
  pthread_t thread_{};
  bool running_ = false;
};

}  // namespace lockstep::dumper
