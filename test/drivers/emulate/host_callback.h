// The thread CUDA would run host callbacks on: functions one after the other, in the order they
// were queued.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace lockstep::driver {

class HostCallbackThread {
 public:
  HostCallbackThread() : thread_([this] { run(); }) {}
  ~HostCallbackThread();
  void queue(std::function<void()> callback);
  // Returns once all that was queued has run.
  void drain();

 private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> callbacks_;
  bool stopping_ = false, running_ = false;
  std::thread thread_;
};

}  // namespace lockstep::driver
