// Who is at the agent. Whoever connects over TCP is a stranger until the first frame that only the run's
// key can make; so many of them are let in, and one more cuts the one that came first, so that strangers
// keep nobody out who has the key. Known askers are answered kMostAskers at a time; the others wait, as
// long as they have patience. Any thread.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <mutex>

namespace lockstep::live {

constexpr size_t kMostAskers = 16;  // answered at a time
constexpr size_t kMostStrangers = 64;
constexpr size_t kMostInside = 256;  // connections, strangers and those that wait among them

class Admission {
 public:
  // A connection begins; `known`: the kernel says that it is the own user's.
  void come(int fd, bool known);
  // It is no stranger any more, and cannot be cut.
  void prove(int fd);
  // Waits for a place among those that are answered; false when none is free by the deadline
  // (CLOCK_MONOTONIC).
  bool take_place(int64_t deadline_ns);
  void give_place();
  // Before `fd` is closed.
  void leave(int fd);

  size_t inside() const;

 private:
  mutable std::mutex mutex_;
  std::condition_variable freed_;
  std::list<int> strangers_;  // by when they came
  size_t inside_ = 0, answered_ = 0;
};

}  // namespace lockstep::live
