// The chunk that the dump thread is filling: pieces of blocks until they are in a segment. Only
// then do the blocks go back to NCCL's threads, so that nothing is dropped whatever goes wrong (a
// full disk, no memory to encode): the same pieces are tried again, and are still in the arena
// should the process die. Where files may not grow as large as a chunk (ulimit -f), chunks become as
// small as it takes. Owned by whoever drains.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "dumper/drain/block_source.h"
#include "dumper/segment/chunk_encode.h"
#include "dumper/segment/segment_writer.h"

namespace lockstep::dumper {

class ChunkInHand {
 public:
  // BlockHeader::calls, or how many of them are new.
  using Calls = std::unique_ptr<std::atomic<uint64_t>[]>;

  ChunkInHand(BlockSource& source, SegmentWriter& writer, int zstd_level);

  // `calls` is what the piece tells of its block's calls, or null; `closed` its block when nothing
  // more will come from it, or nullptr. Throws std::bad_alloc having taken nothing.
  void add(const Piece& piece, Calls calls, BlockHeader* closed);
  // Empties a block all of whose records are in segments.
  void give_back(BlockHeader* block);
  bool empty() const { return taken_.empty(); }
  // Time to write; also when memory was too short to encode what was added.
  bool full() const { return finished_ || filled() || encoded_pieces_ != taken_.size(); }
  // Writes it, in several chunks where one is too large, and becomes empty. On error what is not
  // written stays in hand. Everything that comes later was recorded at complete_ticks or after.
  Status write(uint64_t complete_ticks);
  // Where it is empty: for a process that records nothing any more, or not for now.
  void give_memory_back();
  // Any thread.
  uint64_t records_written() const { return records_written_.load(std::memory_order_relaxed); }

 private:
  struct Taken {
    Piece piece;
    Calls calls;
    BlockHeader* closed;
  };
  // What a chunk is made of, for its limit: a piece costs room too, also without a record.
  static size_t size_of(uint32_t records, size_t pieces) { return records + pieces; }
  bool filled() const {
    return encoder_.full() || size_of(encoder_.records(), encoded_pieces_) >= most_in_chunk_;
  }
  void cut(size_t index);
  bool encode_pieces();
  Status encode(uint64_t complete_ticks);
  Status write_chunk(uint64_t complete_ticks);
  bool make_smaller();
  void forget_written(uint64_t complete_ticks);
  void forget_anchors(uint64_t complete_ticks);
  void collect_anchors();

  BlockSource& source_;
  SegmentWriter& writer_;
  const int zstd_level_;
  std::vector<Taken> taken_;
  ChunkEncoder encoder_;
  size_t encoded_pieces_ = 0;  // of taken_, by encoder_
  EncodedChunk chunk_;
  bool finished_ = false;  // chunk_ holds the first chunk_pieces_ of taken_
  size_t chunk_pieces_ = 0;
  size_t most_in_chunk_;  // size_of() it; less once no file took a larger one
  bool cut_up_ = false;   // taken_ goes into several chunks, with the same anchors
  std::vector<Anchor> anchors_;
  uint64_t anchors_seen_ = 0;
  std::atomic<uint64_t> records_written_{0};
};

}  // namespace lockstep::dumper
