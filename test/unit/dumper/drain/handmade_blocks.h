// The dump thread's view of an arena whose blocks a test fills by hand.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "dumper/drain/block_source.h"
#include "test/unit/dumper/segment/samples.h"

namespace lockstep::dumper {

class HandmadeBlocks : public BlockSource {
 public:
  explicit HandmadeBlocks(uint32_t blocks) : blocks_(blocks), memory_(blocks * kWords) {
    arena_->max_blocks = 4096;  // the others have no memory
    arena_->next_sequence = 1;
    arena_->anchors[0] = kSampleAnchors[0];
    arena_->anchors_taken = 1;
  }

  // The next block is full of `records` of one thread, and calls for all of them.
  void fill(unsigned records) {
    BlockHeader* block = this->block(filled_++);
    const uint64_t sequence = arena_->next_sequence++;
    auto* words = reinterpret_cast<uint64_t*>(block + 1);
    for (unsigned i = 0; i < records; ++i) {
      const uint64_t number = sequence * 10000 + i;
      *words++ = make_word0(stop_tag(Kind::Coll), number);
      *words++ = make_event_id(Kind::Coll, 1, random_() >> kSerialShift);  // hard to compress
    }
    block->tid = 77;
    std::strcpy(block->thread_name, "worker");
    block->sequence = sequence;
    block->previous = sequence - 1;
    block->published = pack_published(records, records * 16);
    block->calls[call_cell(static_cast<unsigned>(Kind::Coll), Call::Stop)] = records;
    block->closed = kClosed;
    full_.push_back(block);
  }

  ArenaHeader* arena() override { return arena_.get(); }
  BlockHeader* next_full() override {
    if (full_.empty()) return nullptr;
    BlockHeader* block = full_.front();
    full_.pop_front();
    return block;
  }
  BlockHeader* block(uint32_t index) override {
    return index < blocks_ ? reinterpret_cast<BlockHeader*>(&memory_[index * kWords]) : nullptr;
  }
  uint32_t index_of(const BlockHeader* block) override {
    return static_cast<uint32_t>(
        static_cast<size_t>(reinterpret_cast<const uint64_t*>(block) - memory_.data()) / kWords);
  }
  void recycle(BlockHeader*) override { ++recycled; }
  Anchor anchor_now() override { return kSampleAnchors[1]; }

  uint32_t recycled = 0;

 private:
  static constexpr size_t kWords = kBlockBytes / sizeof(uint64_t);
  const uint32_t blocks_;
  std::mt19937_64 random_{1};
  std::vector<uint64_t> memory_;
  std::deque<BlockHeader*> full_;
  std::unique_ptr<ArenaHeader> arena_ = std::make_unique<ArenaHeader>();
  uint32_t filled_ = 0;
};

}  // namespace lockstep::dumper
