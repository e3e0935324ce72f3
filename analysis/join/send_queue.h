// How long the network works on each send of a process. Its sends share its way out, so that one that is sent
// while others are in the network waits behind them: the time from its sending to its acknowledgement is also
// theirs. What was sent earlier is in front of it. One that was sent later and acknowledged sooner went
// another way, and was not. Constant time for sends that end in their order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "analysis/tables/tables.h"

namespace lockstep::analysis {

class SendQueue {
 public:
  // In the order of time.
  void send(uint32_t step, int64_t now_ns) { queue_.push_back({step, now_ns, kNoTime}); }

  // Acknowledged: since it was sent, and all that was in front of it was acknowledged; 0 when it was not sent.
  int64_t acknowledge(uint32_t step, int64_t now_ns) {
    int64_t since_ns = kNoTime;
    for (auto at = queue_.begin(); at != queue_.end(); ++at) {
      since_ns = std::max(since_ns, at->front_ns);
      if (at->step != step) continue;
      since_ns = std::max(since_ns, at->sent_ns);
      at = queue_.erase(at);
      if (at != queue_.end()) at->front_ns = now_ns;
      return std::max<int64_t>(0, now_ns - since_ns);
    }
    return 0;
  }

  // Nothing is known of its end.
  void forget(uint32_t step) {
    queue_.erase(std::remove_if(queue_.begin(), queue_.end(),
                                [&](const Send& one) { return one.step == step; }),
                 queue_.end());
  }

 private:
  struct Send {
    uint32_t step = 0;
    int64_t sent_ns = kNoTime;
    // When the last of those before it, and behind the send that is now before it, was acknowledged.
    int64_t front_ns = kNoTime;
  };
  std::deque<Send> queue_;
};

}  // namespace lockstep::analysis
