// What a round of the dump thread finds in the arena when it begins: the blocks that threads still
// write into, and the full ones that are in the queue, or about to be. A round has seen everything
// that was recorded before it once all of those have come, however fast threads go on calling.
// One thread at a time.
#pragma once

#include <vector>

#include "dumper/drain/block_source.h"

namespace lockstep::dumper {

class BlockScan {
 public:
  struct Open {
    BlockHeader* block;
    uint64_t sequence;
    uint64_t published;
    bool unqueued;  // kClosedUnqueued
  };

  explicit BlockScan(uint32_t max_blocks) : expected_(max_blocks) {}

  // Every full block that came before must have been given back.
  void look(BlockSource& source);
  const std::vector<Open>& open() const { return open_; }
  // The block of this index has come through the queue.
  void came(uint32_t index);
  // All that were full at look() have come, and all that filled up while it looked.
  bool all_came() const { return still_expected_ == 0; }

 private:
  void expect(uint32_t index);

  std::vector<Open> open_;
  std::vector<bool> expected_;  // by block index
  uint32_t still_expected_ = 0;
};

}  // namespace lockstep::dumper
