// Everything here came from a file: each number is checked before it is used as a size.
#include "dumper/segment/chunk_decode.h"

#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "dumper/segment/columns.h"

namespace lockstep::dumper {
namespace {

constexpr uint64_t kMaxAnchors = 4096;
constexpr uint64_t kMaxPieces = 1u << 17;
constexpr size_t kRememberedAnchors = 512;

struct ContextDeleter {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

Status broken(const char* what) {
  return Status::error(std::string("the chunk's parts do not fit together: ") + what);
}

void read_clock(ByteReader* in, DecodedChunk* out) {
  const uint64_t count = in->varint();
  if (count > kMaxAnchors) return in->fail();
  std::vector<Anchor> anchors;
  Anchor a{};
  for (uint64_t i = 0; i < count; ++i) {
    a.ticks += in->zigzag_varint();
    a.raw_ns += in->zigzag_varint();
    a.real_ns += in->zigzag_varint();
    a.mono_ns += in->zigzag_varint();
    anchors.push_back(a);
  }
  out->clock = ChunkClock(anchors.data(), anchors.size());
  out->complete_ticks = in->varint();
}

void read_strings(ByteReader* in, DecodedChunk* out) {
  out->strings.clear();
  const uint64_t count = in->varint();
  if (count > kMaxStrings) return in->fail();
  for (uint64_t i = 0; i < count && !in->failed(); ++i) {
    const uint64_t number = in->varint();
    const uint64_t length = in->varint();
    if (number >= kFirstString + kMaxStrings || length > kMaxStringBytes) return in->fail();
    out->strings.emplace_back(static_cast<uint32_t>(number), std::string(in->text(length)));
  }
}

void read_calls(ByteReader* in, DecodedPiece* piece, DecodedChunk* out) {
  const uint64_t cells = in->varint();
  if (cells > kCallCells) return in->fail();
  for (uint64_t i = 0; i < cells; ++i) {
    const uint64_t cell = in->varint();
    const uint64_t calls = in->varint();
    if (cell >= kCallCells) return in->fail();
    piece->calls.emplace_back(static_cast<unsigned>(cell), calls);
    out->calls[cell] += calls;
  }
}

// first_ticks of every piece, beside DecodedChunk::pieces.
void read_pieces(ByteReader* in, DecodedChunk* out, std::vector<uint64_t>* first_ticks) {
  out->pieces.clear();
  out->calls.fill(0);
  first_ticks->clear();
  const uint64_t count = in->varint();
  if (count > kMaxPieces) return in->fail();
  for (uint64_t i = 0; i < count && !in->failed(); ++i) {
    DecodedPiece piece;
    uint64_t numbers[4];
    piece.tid = static_cast<uint32_t>(in->varint());
    const std::string_view name = in->text(kThreadNameBytes);
    piece.thread_name = std::string(name.substr(0, name.find('\0')));
    piece.block_sequence = in->varint();
    piece.previous_sequence = in->varint();
    for (uint64_t& number : numbers) {
      number = in->varint();
      if (number > kBlockPayloadBytes) return in->fail();
    }
    piece.from_byte = static_cast<uint32_t>(numbers[0]);
    piece.bytes = static_cast<uint32_t>(numbers[1]);
    piece.unreadable_bytes = static_cast<uint32_t>(numbers[2]);
    piece.closes_block = (numbers[3] & kPieceCloses) != 0;
    const uint64_t records = in->varint();
    if (records > kMaxChunkRecords) return in->fail();
    piece.records = static_cast<uint32_t>(records);
    first_ticks->push_back(in->varint());
    read_calls(in, &piece, out);
    out->pieces.push_back(std::move(piece));
  }
}

void read_counts(ByteReader* in, DecodedChunk* out) {
  out->kept.clear();
  const uint64_t count = in->varint();
  for (uint64_t i = 0; i < count && !in->failed(); ++i) {
    const uint64_t key = in->varint();
    if (!is_count_key(key)) return in->fail();
    out->kept.add(static_cast<uint32_t>(key), in->varint());
  }
}

}  // namespace

struct ChunkDecoder::State {
  std::vector<uint8_t> raw;
  std::vector<uint64_t> first_ticks;
  TagReader tags[kTags];
  std::array<bool, kTags> present{};
  std::vector<Anchor> anchors_before;  // of the chunks before this one

  Status inflate(const ChunkHeader& header, const uint8_t* stored);
  Status decode(const ChunkHeader& header, const uint8_t* stored, bool comms_only,
                DecodedChunk* out);
  void complete_clock(DecodedChunk* out);
  Status read_records(const ChunkHeader& header, bool comms_only, ByteReader* in,
                      DecodedChunk* out);
  bool start_columns(const uint8_t* tag, uint64_t records, ByteReader* in, uint64_t* words);
};

Status ChunkDecoder::State::inflate(const ChunkHeader& header, const uint8_t* stored) {
  if (header.raw_bytes > kMaxChunkBytes)
    return Status::error("the chunk claims more bytes than the format allows");
  // Of the thread: to make one costs as much as some fifty small chunks, and a run has thousands of files.
  static thread_local std::unique_ptr<ZSTD_DCtx, ContextDeleter> zstd;
  if (zstd == nullptr) zstd.reset(ZSTD_createDCtx());
  if (zstd == nullptr) throw std::bad_alloc();
  raw.resize(header.raw_bytes);
  const size_t size =
      ZSTD_decompressDCtx(zstd.get(), raw.data(), raw.size(), stored, header.stored_bytes);
  if (ZSTD_isError(size)) return Status::error(std::string("zstd: ") + ZSTD_getErrorName(size));
  if (size != raw.size()) return Status::error("the chunk holds fewer bytes than its header says");
  return Status();
}

// Until 2026-11-24 only the first chunk of a round had the anchors of its time: the others' were made after
// their records, too close together to go back from.
void ChunkDecoder::State::complete_clock(DecodedChunk* out) {
  std::vector<Anchor> anchors = out->clock.anchors();
  out->borrowed_anchors = 0;
  uint64_t first = ~uint64_t{0};
  for (size_t p = 0; p < out->pieces.size(); ++p) {
    if (out->pieces[p].records != 0) first = std::min(first, first_ticks[p]);
  }
  if (!anchors.empty() && first < anchors.front().ticks) {
    const auto end =
        std::find_if(anchors_before.begin(), anchors_before.end(),
                     [&](const Anchor& before) { return before.ticks >= anchors.front().ticks; });
    const auto most = std::min<ptrdiff_t>(end - anchors_before.begin(), kRememberedAnchors);
    anchors.insert(anchors.begin(), end - most, end);
    out->borrowed_anchors = static_cast<size_t>(most);
    if (most != 0) out->clock = ChunkClock(anchors.data(), anchors.size());
  }
  anchors_before = std::move(anchors);
}

// Opens the columns of every tag that occurs, and says how many words all records have.
bool ChunkDecoder::State::start_columns(const uint8_t* tag, uint64_t records, ByteReader* in,
                                        uint64_t* words) {
  uint32_t count[256] = {};
  for (uint64_t i = 0; i < records; ++i) ++count[tag[i]];
  for (unsigned t = kTags; t < 256; ++t) {
    if (count[t] != 0) return false;
  }
  *words = 0;
  for (unsigned t = 0; t < kTags; ++t) {
    present[t] = count[t] != 0;
    if (!present[t]) continue;
    if (kRecordShapes[t].words == 0) return false;
    *words += uint64_t{count[t]} * kRecordShapes[t].words;
    tags[t].start(kRecordShapes[t], in);
  }
  return !in->failed() && in->left() == 0;
}

Status ChunkDecoder::State::read_records(const ChunkHeader& header, bool comms_only, ByteReader* in,
                                         DecodedChunk* out) {
  const uint64_t records = in->varint();
  if (in->failed()) return broken("description");
  if (records != header.records || records > kMaxChunkRecords) return broken("record counts");
  const uint8_t* tag = in->take(records);
  const uint8_t* high = in->take(records);
  const uint8_t* low = in->take(records);
  const uint64_t escape_bytes = in->varint();
  const uint8_t* escape_start = in->take(escape_bytes);
  if (in->failed()) return broken("time columns");
  out->has_comms = false;
  if (comms_only && std::none_of(tag, tag + records, is_comm)) {
    out->pieces.clear();
    out->words.clear();
    return Status();
  }
  ByteReader escapes(escape_start, escape_bytes);
  uint64_t total_words = 0, total_records = 0;
  if (!start_columns(tag, records, in, &total_words)) return broken("columns");
  for (const DecodedPiece& piece : out->pieces) total_records += piece.records;
  if (total_records != records) return broken("pieces");
  out->has_comms = present[kCommInitTag] || present[kCommFinalizeTag] || present[kCommInfoTag];

  out->words.resize(total_words);
  uint64_t* words = out->words.data();
  const uint64_t* const begin = words;
  for (size_t p = 0; p < out->pieces.size(); ++p) {
    DecodedPiece& piece = out->pieces[p];
    piece.first_word = static_cast<size_t>(words - begin);
    uint64_t ticks = first_ticks[p];
    for (uint32_t i = 0; i < piece.records; ++i) {
      uint64_t above = *high++;
      if (above == kTimeEscape) above += escapes.varint();
      ticks += above << 8 | *low++;
      const RecordShape& shape = kRecordShapes[*tag];
      words[0] = make_word0(*tag, ticks);
      tags[*tag++].next(shape, words);
      words += shape.words;
    }
  }
  if (escapes.failed() || escapes.left() != 0) return broken("time columns");
  for (unsigned t = 0; t < kTags; ++t) {
    if (present[t] && !tags[t].finished()) return broken("columns");
  }
  return Status();
}

Status ChunkDecoder::decode_records(const ChunkHeader& header, const uint8_t* stored,
                                    DecodedChunk* out) {
  return state_->decode(header, stored, false, out);
}

Status ChunkDecoder::decode_comms(const ChunkHeader& header, const uint8_t* stored,
                                  DecodedChunk* out) {
  return state_->decode(header, stored, true, out);
}

ChunkDecoder::ChunkDecoder() : state_(std::make_unique<State>()) {}
ChunkDecoder::~ChunkDecoder() = default;

Status ChunkDecoder::State::decode(const ChunkHeader& header, const uint8_t* stored,
                                   bool comms_only, DecodedChunk* out) {
  try {
    Status status = inflate(header, stored);
    if (!status.ok()) return status;
    out->header = header;
    ByteReader in(raw.data(), raw.size());
    read_clock(&in, out);
    read_strings(&in, out);
    read_pieces(&in, out, &first_ticks);
    if (!in.failed()) complete_clock(out);
    read_counts(&in, out);
    return read_records(header, comms_only, &in, out);
  } catch (const std::bad_alloc&) {
    return Status::error("out of memory while a chunk was being read");
  }
}

Status ChunkDecoder::decode_text(const ChunkHeader& header, const uint8_t* stored,
                                 std::string* out) {
  Status status = state_->inflate(header, stored);
  if (status.ok()) out->assign(state_->raw.begin(), state_->raw.end());
  return status;
}

}  // namespace lockstep::dumper
