#include "dumper/drain/block_scan.h"

#include <algorithm>

namespace lockstep::dumper {

void BlockScan::look(BlockSource& source) {
  open_.clear();
  std::fill(expected_.begin(), expected_.end(), false);
  still_expected_ = 0;
  for (uint32_t i = 0; i < source.arena()->max_blocks; ++i) {
    BlockHeader* block = source.block(i);
    if (block == nullptr) continue;
    const uint64_t sequence = block->sequence.load(std::memory_order_acquire);
    const uint32_t closed = block->closed.load(std::memory_order_acquire);
    if (sequence == 0) continue;
    if (closed == kClosed) {
      expect(i);
      continue;
    }
    const uint64_t published = block->published.load(std::memory_order_acquire);
    open_.push_back({block, sequence, published, closed == kClosedUnqueued});
  }
  // A thread closes its block before it opens the next. Where this look saw both as open, the first
  // one must come before what the second one holds.
  for (const Open& open : open_) {
    if (open.block->closed.load(std::memory_order_acquire) == kClosed)
      expect(source.index_of(open.block));
  }
}

void BlockScan::expect(uint32_t index) {
  expected_[index] = true;
  ++still_expected_;
}

void BlockScan::came(uint32_t index) {
  if (!expected_[index]) return;
  expected_[index] = false;
  --still_expected_;
}

}  // namespace lockstep::dumper
