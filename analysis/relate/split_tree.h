// From which communicator another was split. NCCL does not tell a profiler, but it makes the id of a child from the
// parent's id, the number of the split and the color (init.cc, "child hash obtained from"), so that trying a few
// numbers finds the parent, and an id that fits by chance is as good as impossible (1 in 2^64 for each try).
// The first 64 splits and colors up to the parent's number of ranks are tried, 4,096 at most: a program that takes other
// colors, as PyTorch does, leaves its communicators without a known parent. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace lockstep::analysis {

// A communicator as NCCL told one of its ranks.
struct SplitComm {
  uint64_t id = 0;
  uint32_t number = 0;  // in its process, in the order of their inits
  uint32_t ranks = 0;
};

struct CommSplit {
  uint64_t parent_id = 0;
  uint32_t number = 0;  // n-th split of the parent, from 1
  uint32_t color = 0;
};

class SplitTree {
 public:
  // The communicators of one process: a parent is there, too, and was made before.
  void add(const std::vector<SplitComm>& comms);
  const std::map<uint64_t, CommSplit>& splits() const { return splits_; }  // by the child's id

 private:
  bool is_child(uint64_t child_id, const SplitComm& parent, CommSplit* split);

  std::map<uint64_t, CommSplit> splits_;
  std::set<std::pair<uint64_t, uint64_t>> tried_;  // child and parent
  uint64_t tries_left_ = 100'000'000;              // half a second of them
};

}  // namespace lockstep::analysis
