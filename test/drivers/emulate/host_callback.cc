#include "test/drivers/emulate/host_callback.h"

#include <pthread.h>

namespace lockstep::driver {

HostCallbackThread::~HostCallbackThread() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void HostCallbackThread::queue(std::function<void()> callback) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    callbacks_.push_back(std::move(callback));
  }
  changed_.notify_all();
}

void HostCallbackThread::drain() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return callbacks_.empty() && !running_; });
}

void HostCallbackThread::run() {
  pthread_setname_np(pthread_self(), "cuda-host-call");
  std::unique_lock<std::mutex> lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !callbacks_.empty(); });
    if (callbacks_.empty()) return;
    const std::function<void()> callback = std::move(callbacks_.front());
    callbacks_.pop_front();
    running_ = true;
    lock.unlock();
    callback();
    lock.lock();
    running_ = false;
    changed_.notify_all();
  }
}

}  // namespace lockstep::driver
