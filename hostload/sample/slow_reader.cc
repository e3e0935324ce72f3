#include "hostload/sample/slow_reader.h"

#include <pthread.h>

#include <atomic>
#include <mutex>

#include "base/thread.h"
#include "base/waker.h"

namespace lockstep::hostload {
namespace {

constexpr uint64_t kLongestPauseUs = 3'600'000'000;  // it is woken long before

}  // namespace

struct SlowReader::Shared {
  Waker asked;
  std::atomic<bool> end{false};
  std::mutex mutex;  // guards readings
  std::vector<CounterReading> readings;
};

SlowReader::SlowReader(const char* name, Read read) : shared_(std::make_shared<Shared>()) {
  const auto thread = start_thread(name, [shared = shared_, read = std::move(read)] {
    for (;;) {
      shared->asked.sleep_us(kLongestPauseUs);
      if (shared->end) return;
      std::vector<CounterReading> readings = read();
      const std::lock_guard<std::mutex> lock(shared->mutex);
      shared->readings = std::move(readings);
    }
  });
  if (thread) pthread_detach(*thread);
}

SlowReader::~SlowReader() {
  shared_->end = true;
  shared_->asked.wake();
}

std::vector<CounterReading> SlowReader::take() {
  std::vector<CounterReading> taken;
  {
    const std::lock_guard<std::mutex> lock(shared_->mutex);
    taken.swap(shared_->readings);
  }
  shared_->asked.wake();
  return taken;
}

}  // namespace lockstep::hostload
