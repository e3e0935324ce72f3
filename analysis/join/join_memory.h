// Memory of joins that are over, for those to come. To grow it anew for each process of a part of a run took a tenth of
// reading it, in page faults and copies. As many joins as there are threads are kept, until this is destroyed. Any thread.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "analysis/join/join_state.h"

namespace lockstep::analysis {

class JoinMemory {
 public:
  JoinState take(uint32_t pid) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (kept_.empty()) return JoinState(pid);
    JoinState state = JoinState(pid, std::move(kept_.back()));
    kept_.pop_back();
    return state;
  }
  // A join that is over.
  void give(JoinState over) {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_.push_back(std::move(over));
  }

 private:
  std::mutex mutex_;  // guards kept_
  std::vector<JoinState> kept_;
};

}  // namespace lockstep::analysis
