// Records into columns, then everything together in the order of docs/format.md, compressed.
#include "dumper/segment/chunk_encode.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "dumper/segment/chunk_clock.h"
#include "dumper/segment/columns.h"
#include "dumper/segment/live_comms.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kLeastSectionBytes = 4096;
// What ending a section early may add to the compressed size, generously.
constexpr size_t kFlushBytes = 64;
// Of so few bytes, as a rank that records little has in a second, zstd's Huffman codes save 4 %, and making and reading
// their tables takes half of the time of either side. Level 2 wins 2 % back for nothing: it takes shorter matches.
constexpr size_t kFewBytes = 4096;
constexpr int kLevelOfFew = 2;
// So many bytes of them have few enough sequences for the tables that every zstd has. With those of its own a block would
// be 2 % smaller, and take a third longer to read.
constexpr size_t kBlockBytesOfFew = 1300;

struct EncodedPiece {
  uint32_t tid = 0, from_byte = 0, bytes = 0, records = 0, unreadable_bytes = 0, flags = 0,
           call_cells = 0;
  char thread_name[kThreadNameBytes] = {};
  uint64_t block_sequence = 0, previous_sequence = 0, first_ticks = 0;
};

struct ContextDeleter {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

}  // namespace

// What is kept while a chunk is made.
struct ChunkEncoder::State {
  TagColumns columns[kTags];
  ByteBuffer tags, time_low, time_high, time_escapes, raw;
  std::vector<size_t> section_ends;  // in raw
  std::vector<EncodedPiece> pieces;
  // Of all pieces, EncodedPiece::call_cells each.
  std::vector<std::pair<unsigned, uint64_t>> piece_calls;
  std::vector<uint64_t> comm_records;
  Counts kept;
  CallCounts calls{};
  uint32_t records = 0;
  uint64_t first_ticks = ~uint64_t{0}, last_ticks = 0;
  bool string_used[kFirstString + kMaxStrings] = {};
  std::unique_ptr<ZSTD_CCtx, ContextDeleter> zstd;  // made by the first chunk

  void use_strings(Tag tag, const uint64_t* words);
  void encode(const uint64_t* at, const uint64_t* end, EncodedPiece* piece);
  void close_columns();
  void put_preamble(const ChunkContext& context);
  void put_columns();
  void end_section();
  void name_comms(const ChunkContext& context, EncodedChunk* out) const;
  Status compress(const ChunkContext& context, EncodedChunk* out);
  void reset();
};

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
    if (is_comm(tag)) comm_records.insert(comm_records.end(), at, at + shape.words);
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

void ChunkEncoder::State::close_columns() {
  for (unsigned tag = 0; tag < kTags; ++tag) {
    if (columns[tag].records() != 0)
      columns[tag].close(kRecordShapes[tag], static_cast<Tag>(tag), &kept);
  }
}

void ChunkEncoder::State::put_preamble(const ChunkContext& context) {
  raw.varint(context.anchor_count);
  Anchor before{};
  for (size_t i = 0; i < context.anchor_count; ++i) {
    const Anchor& a = context.anchors[i];
    raw.varint(zigzag(a.ticks - before.ticks));
    raw.varint(zigzag(a.raw_ns - before.raw_ns));
    raw.varint(zigzag(a.real_ns - before.real_ns));
    raw.varint(zigzag(a.mono_ns - before.mono_ns));
    before = a;
  }
  raw.varint(context.complete_ticks);
  unsigned used = 0;
  for (bool u : string_used) used += u;
  raw.varint(used);
  for (unsigned number = 0; number < kFirstString + kMaxStrings; ++number) {
    if (!string_used[number]) continue;
    std::string_view text = context.strings == nullptr ? "" : context.strings->text(number);
    text = text.substr(0, kMaxStringBytes);
    raw.varint(number);
    raw.varint(text.size());
    raw.append(text.data(), text.size());
  }
  raw.varint(pieces.size());
  const auto* call = piece_calls.data();
  for (const EncodedPiece& p : pieces) {
    raw.varint(p.tid);
    raw.append(p.thread_name, sizeof p.thread_name);
    for (uint64_t value : {p.block_sequence, p.previous_sequence, uint64_t{p.from_byte},
                           uint64_t{p.bytes}, uint64_t{p.unreadable_bytes}, uint64_t{p.flags},
                           uint64_t{p.records}, p.first_ticks, uint64_t{p.call_cells}}) {
      raw.varint(value);
    }
    for (uint32_t i = 0; i < p.call_cells; ++i, ++call) {
      raw.varint(call->first);
      raw.varint(call->second);
    }
  }
  const auto counted = kept.sorted();
  raw.varint(counted.size());
  for (const auto& [key, count] : counted) {
    raw.varint(key);
    raw.varint(count);
  }
}

// Columns differ in what bytes they hold: each gets compressor statistics of its own (7 % fewer
// bytes for steps), unless it is too small to pay for them.
void ChunkEncoder::State::end_section() {
  const size_t begin = section_ends.empty() ? 0 : section_ends.back();
  if (raw.size() - begin >= kLeastSectionBytes) section_ends.push_back(raw.size());
}

void ChunkEncoder::State::put_columns() {
  raw.varint(records);
  end_section();
  raw.append(tags.data(), tags.size());
  end_section();
  raw.append(time_high.data(), time_high.size());
  end_section();
  raw.append(time_low.data(), time_low.size());
  end_section();
  raw.varint(time_escapes.size());
  raw.append(time_escapes.data(), time_escapes.size());
  for (unsigned tag = 0; tag < kTags; ++tag) {
    const TagColumns& c = columns[tag];
    if (c.records() == 0) continue;
    for (unsigned i = 0; i < columns_of_shape(kRecordShapes[tag]); ++i) {
      raw.varint(c.column_bytes(i));
      raw.append(c.start_of(i), c.column_bytes(i));
      end_section();
    }
  }
}

void ChunkEncoder::State::name_comms(const ChunkContext& context, EncodedChunk* out) const {
  out->comm_names.clear();
  for (size_t at = 0; at < comm_records.size();
       at += kRecordShapes[tag_of(comm_records[at])].words) {
    const unsigned name = LiveComms::name_in(&comm_records[at]);
    if (name < kFirstString || context.strings == nullptr) continue;
    out->comm_names.emplace_back(name, std::string(context.strings->text(name)));
  }
}

Status ChunkEncoder::State::compress(const ChunkContext& context, EncodedChunk* out) {
  if (raw.size() > kMaxChunkBytes)
    return Status::error("a chunk of records grew beyond the format's limit");
  out->bytes.resize(sizeof(ChunkHeader) + ZSTD_compressBound(raw.size()) +
                    kFlushBytes * section_ends.size());
  if (zstd == nullptr) zstd.reset(ZSTD_createCCtx());
  if (zstd == nullptr) throw std::bad_alloc();
  const bool few = raw.size() < kFewBytes;
  ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_compressionLevel,
                         few ? std::max(context.zstd_level, kLevelOfFew) : context.zstd_level);
  // With any length zstd's fastest strategy, that of the levels 1 and 2, leaves literals as they are. 0: the level's own.
  ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_targetLength, few ? 1 : 0);
  for (size_t end = kBlockBytesOfFew; few && end + kBlockBytesOfFew / 2 < raw.size();
       end += kBlockBytesOfFew)
    section_ends.push_back(end);
  if (section_ends.empty() || section_ends.back() != raw.size()) section_ends.push_back(raw.size());
  ZSTD_CCtx_setPledgedSrcSize(zstd.get(), raw.size());
  ZSTD_outBuffer stream{out->bytes.data() + sizeof(ChunkHeader),
                        out->bytes.size() - sizeof(ChunkHeader), 0};
  ZSTD_inBuffer content{raw.data(), 0, 0};
  for (size_t end : section_ends) {
    content.size = end;
    const size_t left = ZSTD_compressStream2(zstd.get(), &stream, &content,
                                             end == raw.size() ? ZSTD_e_end : ZSTD_e_flush);
    if (ZSTD_isError(left) || left != 0) {
      ZSTD_CCtx_reset(zstd.get(), ZSTD_reset_session_only);
      return Status::error(std::string("cannot compress what is recorded: ") +
                           ZSTD_getErrorName(left));
    }
  }
  const size_t stored = stream.pos;
  out->bytes.resize(sizeof(ChunkHeader) + stored);
  ChunkHeader header{};
  header.magic = kChunkMagic;
  header.type = static_cast<uint8_t>(ChunkType::Records);
  header.stored_bytes = static_cast<uint32_t>(stored);
  header.raw_bytes = static_cast<uint32_t>(raw.size());
  header.records = records;
  if (records != 0) {
    const ChunkClock clock(context.anchors, context.anchor_count);
    header.first_raw_ns = clock.raw_ns(first_ticks);
    header.last_raw_ns = clock.raw_ns(last_ticks);
  }
  std::memcpy(out->bytes.data(), &header, sizeof header);
  return Status();
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
void ChunkEncoder::give_memory_back() { state_ = std::make_unique<State>(); }

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
  if (out_of_memory) return Status::error("out of memory while encoding records");
  return status;
}

Status encode_text(ChunkType type, std::string_view text, std::vector<uint8_t>* out) {
  if (text.size() > kMaxChunkBytes)
    return Status::error("a chunk of text is beyond the format's limit");
  out->resize(sizeof(ChunkHeader) + ZSTD_compressBound(text.size()));
  const size_t stored =
      ZSTD_compress(out->data() + sizeof(ChunkHeader), out->size() - sizeof(ChunkHeader),
                    text.data(), text.size(), 1);
  if (ZSTD_isError(stored)) return Status::error(std::string("zstd: ") + ZSTD_getErrorName(stored));
  out->resize(sizeof(ChunkHeader) + stored);
  ChunkHeader header{};
  header.magic = kChunkMagic;
  header.type = static_cast<uint8_t>(type);
  header.stored_bytes = static_cast<uint32_t>(stored);
  header.raw_bytes = static_cast<uint32_t>(text.size());
  std::memcpy(out->data(), &header, sizeof header);
  return Status();
}

}  // namespace lockstep::dumper
