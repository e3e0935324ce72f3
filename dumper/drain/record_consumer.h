// A second reader of what the dump thread drains, beside the encoder: the live view, the Example's
// trace. Called on the dump thread (or on the thread that drains in its place) only, each record
// once, a thread's records in their order, threads one after the other: a child may come before its
// parent, and a whole round before it. A consumer that is not there costs nothing.
#pragma once

#include <vector>

#include "dumper/segment/chunk_clock.h"
#include "dumper/segment/chunk_encode.h"
#include "lockstep/record_shape.h"

namespace lockstep::dumper {

struct Round {
  // Every record with fewer ticks has been given.
  uint64_t complete_ticks = 0;
  Anchor now{};
  const ArenaHeader* arena = nullptr;
  const StringSource* strings = nullptr;
  // The last communicator ended, or the process does: write what there is. More may follow.
  bool final = false;
};

class RecordConsumer {
 public:
  virtual ~RecordConsumer() = default;
  // The piece's memory is the block's: valid during the call only.
  virtual void take(const Piece& piece, const StringSource& strings) = 0;
  virtual void end_round(const Round& round) = 0;
};

// Calls `f(words, tag)` for each whole record; stops where the encoder stops.
template <typename F>
void for_each_record(const Piece& piece, F f) {
  const uint64_t* word = piece.words;
  const uint64_t* const end = word + piece.bytes / 8;
  while (word < end) {
    const Tag tag = tag_of(*word);
    const unsigned words = tag < kTags ? kRecordShapes[tag].words : 0;
    if (words == 0 || words > static_cast<size_t>(end - word)) return;
    f(word, tag);
    word += words;
  }
}

// From ticks to the host's clocks, by the arena's latest anchors and the round's own.
inline ChunkClock clock_of(const Round& round) {
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

// Over all its anchors; 1 where there is one only.
inline double ns_per_tick(const ChunkClock& clock) {
  const auto& anchors = clock.anchors();
  if (anchors.size() < 2) return 1;
  const auto ticks = static_cast<double>(anchors.back().ticks - anchors.front().ticks);
  return static_cast<double>(anchors.back().raw_ns - anchors.front().raw_ns) / ticks;
}

}  // namespace lockstep::dumper
