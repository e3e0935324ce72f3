#include "dumper/drain/record_consumer.h"

namespace lockstep::dumper {

ChunkClock clock_of(const Round& round) {
  std::vector<Anchor> anchors;
  const uint64_t taken = round.arena->anchors_taken.load(std::memory_order_acquire);
  // Half of the ring: the keeper may be writing the other one.
  const uint64_t first = taken > kArenaAnchors / 2 ? taken - kArenaAnchors / 2 : 0;
  for (uint64_t n = first; n < taken; ++n) {
    anchors.push_back(round.arena->anchors[n % kArenaAnchors]);
  }
  anchors.push_back(round.now);
  return ChunkClock(anchors.data(), anchors.size());
}

}  // namespace lockstep::dumper
