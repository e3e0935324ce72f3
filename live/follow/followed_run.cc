#include "live/follow/followed_run.h"

#include <algorithm>
#include <chrono>

#include "base/clock_ns.h"

namespace lockstep::serve {
namespace {

constexpr int64_t kEachNs = 1'000'000'000;
// A page asks every second while it is in front; one that is hidden asks less often.
constexpr int64_t kLooksNs = 5'000'000'000;

}  // namespace

FollowedRun::FollowedRun(Reading first, Read read)
    : read_(std::move(read)), last_(std::move(first)) {
  if (last_.run->summary().running) thread_ = std::thread([this] { follow(); });
}

FollowedRun::~FollowedRun() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Reading FollowedRun::now() {
  const std::lock_guard<std::mutex> lock(mutex_);
  looked_ns_ = mono_now_ns();
  changed_.notify_all();
  return last_;
}

std::string FollowedRun::trouble() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return trouble_;
}

void FollowedRun::read_again() {
  const int64_t begun_ns = mono_now_ns();
  auto read = read_();
  const std::lock_guard<std::mutex> lock(mutex_);
  trouble_ = read.ok() ? "" : read.message();
  last_.took_ns = mono_now_ns() - begun_ns;
  if (!read.ok()) return;
  last_.run = std::move(read.value());
  last_.begun_ns = begun_ns;
  ++last_.number;
}

// Until it is time and somebody looks. False: it is over.
bool FollowedRun::waits(std::unique_lock<std::mutex>* lock) {
  const int64_t ended_ns = mono_now_ns();
  const int64_t next_ns = ended_ns + std::max(last_.took_ns, kEachNs - last_.took_ns);
  for (;;) {
    if (ends_) return false;
    const int64_t now_ns = mono_now_ns();
    if (now_ns < next_ns) {
      changed_.wait_for(*lock, std::chrono::nanoseconds(next_ns - now_ns),
                        [this] { return ends_; });
    } else if (now_ns - looked_ns_ > kLooksNs) {
      changed_.wait(*lock);
    } else {
      return true;
    }
  }
}

void FollowedRun::follow() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (last_.run->summary().running && waits(&lock)) {
    lock.unlock();
    read_again();
    lock.lock();
  }
}

}  // namespace lockstep::serve
