#include "test/drivers/generate/process_chunks.h"

#include <utility>

namespace lockstep::driver {
namespace {

// Of the 64 KiB of a block: threads seldom fill one before it is taken.
constexpr size_t kPieceBytes = size_t{48} * 1024;
static_assert(kPieceBytes + kMaxWords * sizeof(uint64_t) <= kBlockPayloadBytes);

}  // namespace

void ProcessChunks::set_clock(const Anchor& before, const Anchor& after, uint64_t complete_ticks) {
  anchors_[0] = before;
  anchors_[1] = after;
  context_.anchors = anchors_;
  context_.anchor_count = 2;
  context_.complete_ticks = complete_ticks;
}

Status ProcessChunks::add(const std::vector<uint64_t>& words, uint32_t tid) {
  for (size_t begin = 0, end = 0; begin < words.size(); begin = end) {
    while (end < words.size() && (end - begin) * sizeof(uint64_t) < kPieceBytes)
      end += kRecordShapes[tag_of(words[end])].words;
    dumper::Piece piece;
    piece.words = words.data() + begin;
    piece.bytes = static_cast<uint32_t>((end - begin) * sizeof(uint64_t));
    piece.tid = tid;
    piece.block_sequence = ++blocks_;
    piece.previous_sequence = std::exchange(latest_[tid], blocks_);
    encoder_.add(piece);
    if (!encoder_.full()) continue;
    Status written = flush();
    if (!written.ok()) return written;
  }
  return {};
}

Status ProcessChunks::flush() {
  if (encoder_.empty()) return {};
  Status status = encoder_.finish(context_, &chunk_);
  if (status.ok()) status = writer_.append(&chunk_);
  return status;
}

}  // namespace lockstep::driver
