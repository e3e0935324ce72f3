// A thread's alarm clock: sleeps until a deadline or until somebody wakes it; a wake that comes
// first is not lost. pthread_cond_timedwait on CLOCK_MONOTONIC rather than
// std::condition_variable::wait_for, which would need a newer glibc.
#pragma once

#include <pthread.h>

#include <cstdint>
#include <ctime>

namespace lockstep {

class Waker {
 public:
  Waker() {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&condition_, &attributes);
    pthread_condattr_destroy(&attributes);
  }
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;

  // Any thread but NCCL's hot path: it may enter the kernel.
  void wake() {
    pthread_mutex_lock(&mutex_);
    woken_ = true;
    pthread_cond_signal(&condition_);
    pthread_mutex_unlock(&mutex_);
  }
  // The sleeper only.
  void sleep_us(uint64_t microseconds) {
    timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    const uint64_t ns = static_cast<uint64_t>(until.tv_nsec) + microseconds % 1000000 * 1000;
    until.tv_sec += static_cast<time_t>(microseconds / 1000000 + ns / 1000000000);
    until.tv_nsec = static_cast<long>(ns % 1000000000);
    pthread_mutex_lock(&mutex_);
    while (!woken_ && pthread_cond_timedwait(&condition_, &mutex_, &until) == 0) {
    }
    woken_ = false;
    pthread_mutex_unlock(&mutex_);
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition_;
  bool woken_ = false;
};

}  // namespace lockstep
