#include "analysis/relate/split_tree.h"

#include <algorithm>
#include <array>

namespace lockstep::analysis {
namespace {

constexpr uint32_t kMostSplits = 64, kMostColors = 4096;

// NCCL's hash of several values (src/include/utils.h: eatHash, digestHash), each of 8 bytes or fewer.
class NcclHash {
 public:
  void eat(uint64_t value, size_t bytes) {
    state_[0] ^= bytes;
    state_[0] += state_[1];
    state_[1] ^= state_[0];
    state_[0] ^= state_[0] >> 31;
    state_[0] *= 0x9de62bbc8cef3ce3;
    state_[1] ^= state_[1] >> 32;
    state_[1] *= 0x485cd6311b599e79;
    state_[0] += value;
  }
  uint64_t digest() const {
    uint64_t hash = state_[0];
    hash ^= hash >> 31;
    hash *= 0xbac3bd562846de6b;
    hash += state_[1];
    hash ^= hash >> 32;
    hash *= 0x995a187a14e7b445;
    return hash;
  }

 private:
  std::array<uint64_t, 2> state_ = {1, 1};
};

}  // namespace

bool SplitTree::is_child(uint64_t child_id, const SplitComm& parent, CommSplit* split) {
  const uint32_t colors = std::min(parent.ranks, kMostColors);
  const uint64_t tries = uint64_t{kMostSplits} * colors;
  if (tries > tries_left_) return false;
  tries_left_ -= tries;
  NcclHash of_parent;
  of_parent.eat(parent.id, sizeof(parent.id));
  for (uint32_t number = 1; number <= kMostSplits; ++number) {
    NcclHash of_split = of_parent;
    of_split.eat(number, sizeof(number));
    for (uint32_t color = 0; color < colors; ++color) {
      NcclHash hash = of_split;
      hash.eat(color, sizeof(color));
      if (hash.digest() != child_id) continue;
      *split = {parent.id, number, color};
      return true;
    }
  }
  return false;
}

void SplitTree::add(const std::vector<SplitComm>& comms) {
  for (const SplitComm& child : comms) {
    for (const SplitComm& parent : comms) {
      if (child.id == 0 || splits_.count(child.id) != 0) break;
      if (parent.id == 0 || parent.number >= child.number || parent.ranks < child.ranks) continue;
      if (!tried_.insert({child.id, parent.id}).second) continue;
      CommSplit split;
      if (is_child(child.id, parent, &split)) splits_[child.id] = split;
    }
  }
}

}  // namespace lockstep::analysis
