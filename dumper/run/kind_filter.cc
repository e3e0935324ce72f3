#include "dumper/run/kind_filter.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dumper/segment/chunk_encode.h"
#include "lockstep/record_fields.h"
#include "lockstep/record_shape.h"

namespace lockstep::dumper {
namespace {

// The texts that a chunk brought along.
class ChunkStrings final : public StringSource {
 public:
  explicit ChunkStrings(const DecodedChunk& chunk) : chunk_(chunk) {}
  std::string_view text(unsigned number) const override {
    for (const auto& [known, text] : chunk_.strings) {
      if (known == number) return text;
    }
    return {};
  }

 private:
  const DecodedChunk& chunk_;
};

}  // namespace

struct KindFilter::State {
  ChunkDecoder decoder;
  ChunkEncoder encoder;
  DecodedChunk decoded;
  std::vector<uint64_t> words;
};

KindFilter::KindFilter(uint32_t kinds)
    : kinds_(kinds), state_(kinds == kAllKinds ? nullptr : std::make_unique<State>()) {}
KindFilter::~KindFilter() = default;

bool KindFilter::passes(const uint64_t* record) const {
  const Tag tag = tag_of(*record);
  if (tag >= kCommInitTag) return true;
  return (kinds_ >> static_cast<unsigned>(kind_of(EventRecord::read(record).id)) & 1) != 0;
}

Status KindFilter::filter(const DecodedChunk& chunk, std::vector<uint8_t>* stored) {
  std::vector<uint64_t>& left = state_->words;
  stored->clear();
  left.clear();
  std::vector<size_t> ends;  // of each piece, in `left`
  for (size_t i = 0; i < chunk.pieces.size(); ++i) {
    for (size_t at = chunk.pieces[i].first_word; at < chunk.end_of(i);) {
      const uint64_t* record = chunk.words.data() + at;
      const unsigned words = kRecordShapes[tag_of(*record)].words;
      if (passes(record)) left.insert(left.end(), record, record + words);
      at += words;
    }
    ends.push_back(left.size());
  }
  if (left.empty()) return Status();
  size_t begin = 0;
  for (size_t i = 0; i < chunk.pieces.size(); ++i) {
    const DecodedPiece& from = chunk.pieces[i];
    const size_t words = ends[i] - std::exchange(begin, ends[i]);
    if (words == 0) continue;
    Piece piece;
    piece.words = left.data() + ends[i] - words;
    piece.bytes = static_cast<uint32_t>(words * sizeof(uint64_t));
    piece.from_byte = from.from_byte;
    piece.tid = from.tid;
    std::memcpy(piece.thread_name, from.thread_name.data(),
                std::min(from.thread_name.size(), sizeof piece.thread_name));
    piece.block_sequence = from.block_sequence;
    piece.previous_sequence = from.previous_sequence;
    state_->encoder.add(piece);
  }
  const ChunkStrings strings(chunk);
  ChunkContext context;
  // Its own only: what was read before it is not the same in every pass.
  context.anchors = chunk.clock.anchors().data() + chunk.borrowed_anchors;
  context.anchor_count = chunk.clock.anchors().size() - chunk.borrowed_anchors;
  context.complete_ticks = chunk.complete_ticks;
  context.strings = &strings;
  EncodedChunk encoded;
  Status made = state_->encoder.finish(context, &encoded);
  if (made.ok()) *stored = std::move(encoded.bytes);
  return made;
}

Status KindFilter::filter(std::vector<uint8_t>* stored) {
  ChunkHeader header;
  if (stored->size() < sizeof header) return Status::error("a chunk was cut since it was read");
  std::memcpy(&header, stored->data(), sizeof header);
  if (stored->size() != sizeof header + header.stored_bytes)
    return Status::error("a chunk was changed since it was read");
  Status read =
      state_->decoder.decode_records(header, stored->data() + sizeof header, &state_->decoded);
  return read.ok() ? filter(state_->decoded, stored) : read;
}

}  // namespace lockstep::dumper
