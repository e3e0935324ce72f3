#include "dumper/drain/chunk_in_hand.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "dumper/segment/arena_strings.h"

namespace lockstep::dumper {

ChunkInHand::ChunkInHand(BlockSource& source, SegmentWriter& writer, int zstd_level)
    : source_(source), writer_(writer), zstd_level_(zstd_level) {}

void ChunkInHand::add(const Piece& piece, Calls calls, BlockHeader* closed) {
  taken_.push_back({piece, std::move(calls), closed});
  taken_.back().piece.calls = taken_.back().calls.get();
  encode_pieces();
}

// What fails in the middle of a piece begins anew with the first one: the blocks still hold all.
bool ChunkInHand::encode_pieces() {
  try {
    for (; encoded_pieces_ < taken_.size(); ++encoded_pieces_)
      encoder_.add(taken_[encoded_pieces_].piece);
    return true;
  } catch (const std::bad_alloc&) {
    encoder_.clear();
    encoded_pieces_ = 0;
    return false;
  }
}

Status ChunkInHand::encode(uint64_t complete_ticks) {
  if (!encode_pieces()) return Status::error("no memory to encode what is recorded");
  collect_anchors();
  const ArenaStrings strings(*source_.arena());
  ChunkContext context;
  context.anchors = anchors_.data();
  context.anchor_count = anchors_.size();
  context.complete_ticks = complete_ticks;
  context.strings = &strings;
  context.zstd_level = zstd_level_;
  encoded_pieces_ = 0;  // finish() leaves the encoder empty, however it ends
  Status encoded = encoder_.finish(context, &chunk_);
  finished_ = encoded.ok();
  return encoded;
}

Status ChunkInHand::write(uint64_t complete_ticks) {
  if (!finished_) {
    Status encoded = encode(complete_ticks);
    if (!encoded.ok()) return encoded;
  }
  Status written = writer_.append(&chunk_);
  if (!written.ok()) return written;
  finished_ = false;
  ChunkHeader header;
  std::memcpy(&header, chunk_.bytes.data(), sizeof header);
  records_written_.fetch_add(header.records, std::memory_order_relaxed);
  for (const Taken& taken : taken_) {
    if (taken.closed != nullptr) give_back(taken.closed);
  }
  taken_.clear();
  // The next chunk's records lie behind the last anchor of this one.
  anchors_.erase(anchors_.begin(), anchors_.end() - 1);
  return written;
}

void ChunkInHand::give_back(BlockHeader* block) {
  for (auto& calls : block->calls) calls.store(0, std::memory_order_relaxed);
  block->thread_name[0] = '\0';
  // First, so that a scan never takes an empty block for an open one.
  block->sequence.store(0, std::memory_order_release);
  block->published.store(0, std::memory_order_relaxed);
  source_.recycle(block);
}

// The keeper's anchors since the last chunk and one taken now, so that every record lies between
// two.
void ChunkInHand::collect_anchors() {
  const ArenaHeader* arena = source_.arena();
  const uint64_t taken = arena->anchors_taken.load(std::memory_order_acquire);
  uint64_t next = taken > kArenaAnchors / 2 ? std::max(anchors_seen_, taken - kArenaAnchors / 2)
                                            : anchors_seen_;
  anchors_.reserve(anchors_.size() + (taken - next) + 1);
  for (; next < taken; ++next) anchors_.push_back(arena->anchors[next % kArenaAnchors]);
  anchors_seen_ = taken;
  anchors_.push_back(source_.anchor_now());
}

}  // namespace lockstep::dumper
