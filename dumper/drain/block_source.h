// The dump thread's view of the arena and the queues (plugin/process/recording.cc).
#pragma once

#include "lockstep/shared_blocks.h"

namespace lockstep::dumper {

class BlockSource {
 public:
  virtual ~BlockSource() = default;
  virtual ArenaHeader* arena() = 0;
  virtual BlockHeader* next_full() = 0;
  // Of arena()->max_blocks; nullptr when it has no memory behind it.
  virtual BlockHeader* block(uint32_t index) = 0;
  virtual uint32_t index_of(const BlockHeader* block) = 0;
  // The block is empty and may be used again.
  virtual void recycle(BlockHeader* block) = 0;
  virtual Anchor anchor_now() = 0;
};

}  // namespace lockstep::dumper
