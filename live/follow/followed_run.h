// A served run as it was read last. While somebody looks at one that goes on, a thread of its own reads it
// again: a second after it last began to, and for no more than half of the time. Any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "live/follow/served_run.h"

namespace lockstep::serve {

struct Reading {
  std::shared_ptr<const ServedRun> run;
  uint64_t number = 1;
  int64_t begun_ns = 0;  // mono_now_ns(): what was recorded before is in it
  int64_t took_ns = 0;
};

class FollowedRun {
 public:
  using Read = std::function<Result<std::unique_ptr<ServedRun>>()>;
  FollowedRun(Reading first, Read read);
  ~FollowedRun();
  FollowedRun(const FollowedRun&) = delete;
  FollowedRun& operator=(const FollowedRun&) = delete;

  // Who calls it looks.
  Reading now();
  // Why it could not be read again the last time; empty: it could.
  std::string trouble() const;

 private:
  void read_again();
  void follow();
  bool waits(std::unique_lock<std::mutex>* lock);

  const Read read_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  Reading last_;
  int64_t looked_ns_ = 0;
  std::string trouble_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace lockstep::serve
