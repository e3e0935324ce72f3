#include "live/agent/admission.h"

#include <sys/socket.h>

#include <algorithm>
#include <chrono>

#include "base/clock_ns.h"

namespace lockstep::live {

// The thread of the one that is cut finds its connection at its end, and leaves by itself.
void Admission::come(int fd, bool known) {
  const std::lock_guard<std::mutex> lock(mutex_);
  ++inside_;
  if (known) return;
  strangers_.push_back(fd);
  if (strangers_.size() <= kMostStrangers) return;
  shutdown(strangers_.front(), SHUT_RDWR);
  strangers_.pop_front();
}

void Admission::prove(int fd) {
  const std::lock_guard<std::mutex> lock(mutex_);
  strangers_.remove(fd);
}

bool Admission::take_place(int64_t deadline_ns) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::chrono::nanoseconds left(std::max<int64_t>(deadline_ns - mono_now_ns(), 0));
  if (!freed_.wait_for(lock, left, [this] { return answered_ < kMostAskers; })) return false;
  ++answered_;
  return true;
}

void Admission::give_place() {
  const std::lock_guard<std::mutex> lock(mutex_);
  --answered_;
  freed_.notify_one();
}

void Admission::leave(int fd) {
  const std::lock_guard<std::mutex> lock(mutex_);
  strangers_.remove(fd);
  --inside_;
}

size_t Admission::inside() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return inside_;
}

}  // namespace lockstep::live
