#include "dumper/drain/chunk_in_hand.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "dumper/segment/arena_strings.h"
#include "dumper/segment/piece_cut.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kOperationBytes = 48;  // of a record, where only operations are recorded
constexpr size_t kMostAnchors = 1024;   // in a chunk; the keeper takes ten a second

ChunkHeader header_of(const EncodedChunk& chunk) {
  ChunkHeader header;
  std::memcpy(&header, chunk.bytes.data(), sizeof header);
  return header;
}

}  // namespace

// A sixteenth of the buffers at most goes into one chunk: its blocks come back all at once, and
// until then NCCL's threads must get by with the others. (Only below 48 MiB of buffers is that less
// than a usual chunk.)
ChunkInHand::ChunkInHand(BlockSource& source, SegmentWriter& writer, int zstd_level)
    : source_(source),
      writer_(writer),
      zstd_level_(zstd_level),
      most_in_chunk_(source.arena()->max_blocks * kBlockBytes / 16 / kOperationBytes) {}

void ChunkInHand::add(const Piece& piece, Calls calls, BlockHeader* closed) {
  taken_.push_back({piece, std::move(calls), closed});
  taken_.back().piece.calls = taken_.back().calls.get();
  encode_pieces();
}

// A piece that is larger than a chunk may be becomes two; the second one has the block's end.
void ChunkInHand::cut(size_t index) {
  constexpr size_t kMostInBlock = kBlockPayloadBytes / sizeof(uint64_t) / 2;  // records
  if (most_in_chunk_ > kMostInBlock) return;
  Piece first, rest;
  if (!cut_piece(taken_[index].piece, std::max<size_t>(most_in_chunk_ - 1, 1), &first, &rest))
    return;
  taken_.insert(taken_.begin() + static_cast<ptrdiff_t>(index), Taken{first, nullptr, nullptr});
  taken_[index + 1].piece = rest;
}

// What fails in the middle of a piece restarts from the first one: the blocks still hold all.
bool ChunkInHand::encode_pieces() {
  try {
    for (; encoded_pieces_ < taken_.size() && !filled(); ++encoded_pieces_) {
      cut(encoded_pieces_);
      encoder_.add(taken_[encoded_pieces_].piece);
    }
    return true;
  } catch (const std::bad_alloc&) {
    encoder_.clear();
    encoded_pieces_ = 0;
    return false;
  }
}

Status ChunkInHand::encode(uint64_t complete_ticks) {
  if (!encode_pieces()) return Status::error("out of memory while encoding records");
  if (!cut_up_) collect_anchors();
  const ArenaStrings strings(*source_.arena());
  ChunkContext context;
  context.anchors = anchors_.data();
  context.anchor_count = anchors_.size();
  context.complete_ticks = complete_ticks;
  context.strings = &strings;
  context.zstd_level = zstd_level_;
  chunk_pieces_ = encoded_pieces_;
  encoded_pieces_ = 0;  // finish() leaves the encoder empty, however it ends
  Status encoded = encoder_.finish(context, &chunk_);
  finished_ = encoded.ok();
  return encoded;
}

Status ChunkInHand::write(uint64_t complete_ticks) {
  Status status;
  while (!taken_.empty() && status.ok()) {
    status = write_chunk(complete_ticks);
    if (!status.ok() && writer_.chunk_too_large() && make_smaller()) status = Status();
  }
  return status;
}

Status ChunkInHand::write_chunk(uint64_t complete_ticks) {
  if (!finished_) {
    Status encoded = encode(complete_ticks);
    if (!encoded.ok()) return encoded;
  }
  Status written = writer_.append(&chunk_);
  if (written.ok()) forget_written(complete_ticks);
  return written;
}

// False when the chunk is as small as one can be. The limit stays for all that come after it: the
// next ones would be refused as well.
bool ChunkInHand::make_smaller() {
  const size_t size = size_of(header_of(chunk_).records, chunk_pieces_);
  if (size <= size_of(1, 1)) return false;
  most_in_chunk_ = size / 2;
  finished_ = false;
  cut_up_ = true;
  return true;
}

void ChunkInHand::forget_written(uint64_t complete_ticks) {
  finished_ = false;
  records_written_.fetch_add(header_of(chunk_).records, std::memory_order_relaxed);
  const auto end = taken_.begin() + static_cast<ptrdiff_t>(chunk_pieces_);
  for (auto taken = taken_.begin(); taken != end; ++taken) {
    if (taken->closed != nullptr) give_back(taken->closed);
  }
  taken_.erase(taken_.begin(), end);
  cut_up_ = !taken_.empty();
  if (!cut_up_) forget_anchors(complete_ticks);
}

// The next chunk's records may be older than this one's: a round takes block after block, each with
// all that its thread wrote since the last round. Where rounds do not get done, anchors become sparse.
void ChunkInHand::forget_anchors(uint64_t complete_ticks) {
  const auto later =
      std::find_if(anchors_.begin(), anchors_.end(),
                   [complete_ticks](const Anchor& a) { return a.ticks > complete_ticks; });
  if (later != anchors_.begin()) anchors_.erase(anchors_.begin(), later - 1);
  if (anchors_.size() <= kMostAnchors) return;
  for (size_t i = 0; 2 * i < anchors_.size(); ++i) anchors_[i] = anchors_[2 * i];
  anchors_.resize((anchors_.size() + 1) / 2);
}

void ChunkInHand::give_memory_back() {
  if (!empty()) return;
  try {
    encoder_.give_memory_back();
    chunk_ = EncodedChunk();
    taken_.shrink_to_fit();
  } catch (const std::bad_alloc&) {  // then it keeps what it has
  }
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
