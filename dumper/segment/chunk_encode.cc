// The writing half of chunk_codec.h.
#include <algorithm>
#include <cstring>
#include <new>

#include "dumper/segment/chunk_encoder_state.h"

namespace lockstep::dumper {

void ChunkEncoder::State::use_strings(Tag tag, const uint64_t* words) {
  auto use = [&](uint64_t number) {
    if (number >= kFirstString && number < kFirstString + kMaxStrings) string_used[number] = true;
  };
  const RecordShape& shape = kRecordShapes[tag];
  for (unsigned i = 1; i < shape.words; ++i) {
    const uint64_t word = words[i];
    switch (shape.types[i]) {
      case WordType::Strings:
        for (unsigned shift = 0; shift < 64; shift += 16) use(word >> shift & 0xffff);
        break;
      case WordType::Mixed:
        use(word & 0xffff);
        use(word >> 16 & 0xffff);
        break;
      case WordType::Named:
        use(word >> 48);
        break;
      case WordType::Variant:
        use(word >> 32 & 0xffff);
        break;
      default:
        break;
    }
  }
}

void ChunkEncoder::State::encode(const uint64_t* at, const uint64_t* end, EncodedPiece* piece) {
  const size_t most = static_cast<size_t>(end - at) / 2 + 1;
  uint8_t* tag_out = tags.room(most);
  uint8_t* low_out = time_low.room(most);
  uint8_t* high_out = time_high.room(most);
  uint8_t* escape_out = time_escapes.room(most * kMaxVarintBytes);
  uint64_t previous = piece->first_ticks;
  uint64_t earliest = first_ticks, latest = last_ticks;
  uint32_t count = 0;
  while (at != end) {
    const Tag tag = tag_of(*at);
    if (tag >= kTags) break;
    const RecordShape& shape = kRecordShapes[tag];
    if (shape.words == 0 || at + shape.words > end) break;
    const uint64_t ticks = ticks_of(*at);
    const uint64_t delta = (ticks - previous) & ((uint64_t{1} << kTickBits) - 1);
    previous = ticks;
    earliest = std::min(earliest, ticks);
    latest = std::max(latest, ticks);
    *tag_out++ = tag;
    *low_out++ = static_cast<uint8_t>(delta);
    const uint64_t high = delta >> 8;
    if (high < kTimeEscape) {
      *high_out++ = static_cast<uint8_t>(high);
    } else {
      *high_out++ = static_cast<uint8_t>(kTimeEscape);
      escape_out = put_varint(escape_out, high - kTimeEscape);
    }
    columns[tag].add(shape, tag, at, &kept);
    if (kHasStrings[tag]) use_strings(tag, at);
    if (tag >= kCommInitTag) comm_records.insert(comm_records.end(), at, at + shape.words);
    at += shape.words;
    ++count;
  }
  tags.end_at(tag_out);
  time_low.end_at(low_out);
  time_high.end_at(high_out);
  time_escapes.end_at(escape_out);
  first_ticks = earliest;
  last_ticks = latest;
  records += count;
  piece->records = count;
  piece->unreadable_bytes = static_cast<uint32_t>(static_cast<size_t>(end - at) * sizeof(uint64_t));
}

void ChunkEncoder::State::reset() {
  for (unsigned tag = 0; tag < kTags; ++tag)
    columns[tag].reset(columns_of_shape(kRecordShapes[tag]));
  for (ByteBuffer* bytes : {&tags, &time_low, &time_high, &time_escapes, &raw}) bytes->clear();
  section_ends.clear();
  pieces.clear();
  piece_calls.clear();
  comm_records.clear();
  kept.clear();
  calls.fill(0);
  records = 0;
  first_ticks = ~uint64_t{0};
  last_ticks = 0;
  std::memset(string_used, 0, sizeof string_used);
}

ChunkEncoder::ChunkEncoder() : state_(std::make_unique<State>()) {}
ChunkEncoder::~ChunkEncoder() = default;
uint32_t ChunkEncoder::records() const { return state_->records; }
bool ChunkEncoder::empty() const { return state_->pieces.empty(); }
void ChunkEncoder::clear() { state_->reset(); }

void ChunkEncoder::add(const Piece& piece) {
  EncodedPiece encoded;
  encoded.tid = piece.tid;
  encoded.from_byte = piece.from_byte;
  encoded.bytes = piece.bytes;
  encoded.block_sequence = piece.block_sequence;
  encoded.previous_sequence = piece.previous_sequence;
  std::memcpy(encoded.thread_name, piece.thread_name, sizeof encoded.thread_name);
  const size_t words = piece.bytes / sizeof(uint64_t);
  if (words != 0) encoded.first_ticks = ticks_of(piece.words[0]);
  if (piece.closes_block) {
    encoded.flags |= kPieceCloses;
    for (unsigned cell = 0; piece.calls != nullptr && cell < kCallCells; ++cell) {
      const uint64_t calls = piece.calls[cell].load(std::memory_order_relaxed);
      if (calls == 0) continue;
      state_->piece_calls.emplace_back(cell, calls);
      state_->calls[cell] += calls;
      ++encoded.call_cells;
    }
  }
  state_->encode(piece.words, piece.words + words, &encoded);
  encoded.unreadable_bytes += piece.bytes % sizeof(uint64_t);
  state_->pieces.push_back(encoded);
}

Status ChunkEncoder::finish(const ChunkContext& context, EncodedChunk* out) {
  State& state = *state_;
  Status status;
  bool out_of_memory = false;
  try {
    state.close_columns();
    state.put_preamble(context);
    state.put_columns();
    state.name_comms(context, out);
    out->kept = state.kept;
    out->calls = state.calls;
    out->comm_records = state.comm_records;
    status = state.compress(context, out);
  } catch (const std::bad_alloc&) {
    out_of_memory = true;
  }
  state.reset();
  if (out_of_memory) return Status::error("no memory to encode what is recorded");
  return status;
}

}  // namespace lockstep::dumper
