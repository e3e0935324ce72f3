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

constexpr std::array<uint8_t, kTags> words_by_tag() {
  std::array<uint8_t, kTags> words{};
  for (unsigned tag = 0; tag < kTags; ++tag) words[tag] = kRecordShapes[tag].words;
  return words;
}
constexpr std::array<uint8_t, kTags> kWordsOf = words_by_tag();

struct ContextDeleter {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

Status broken(const char* what) {
  return Status::error(std::string("the chunk's parts do not fit together: ") + what);
}

void read_clock(ByteReader* in, std::vector<Anchor>* anchors, DecodedChunk* out) {
  anchors->clear();
  const uint64_t count = in->varint();
  if (count > kMaxAnchors) return in->fail();
  Anchor a{};
  for (uint64_t i = 0; i < count; ++i) {
    a.ticks += in->zigzag_varint();
    a.raw_ns += in->zigzag_varint();
    a.real_ns += in->zigzag_varint();
    a.mono_ns += in->zigzag_varint();
    anchors->push_back(a);
  }
  out->clock = ChunkClock(anchors->data(), anchors->size());
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
  piece->calls.clear();
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

void read_piece(ByteReader* in, DecodedPiece* piece) {
  uint64_t numbers[4];
  piece->tid = static_cast<uint32_t>(in->varint());
  const std::string_view name = in->text(kThreadNameBytes);
  piece->thread_name = name.substr(0, name.find('\0'));
  piece->block_sequence = in->varint();
  piece->previous_sequence = in->varint();
  for (uint64_t& number : numbers) {
    number = in->varint();
    if (number > kBlockPayloadBytes) return in->fail();
  }
  piece->from_byte = static_cast<uint32_t>(numbers[0]);
  piece->bytes = static_cast<uint32_t>(numbers[1]);
  piece->unreadable_bytes = static_cast<uint32_t>(numbers[2]);
  piece->closes_block = (numbers[3] & kPieceCloses) != 0;
  const uint64_t records = in->varint();
  if (records > kMaxChunkRecords) return in->fail();
  piece->records = static_cast<uint32_t>(records);
  piece->first_word = 0;
}

// first_ticks of every piece, beside DecodedChunk::pieces, which keep their memory.
void read_pieces(ByteReader* in, DecodedChunk* out, std::vector<uint64_t>* first_ticks) {
  out->calls.fill(0);
  first_ticks->clear();
  const uint64_t count = in->varint();
  if (count > kMaxPieces) return in->fail();
  for (uint64_t i = 0; i < count && !in->failed(); ++i) {
    if (i == out->pieces.size()) out->pieces.emplace_back();
    read_piece(in, &out->pieces[i]);
    first_ticks->push_back(in->varint());
    read_calls(in, &out->pieces[i], out);
  }
  out->pieces.resize(first_ticks->size());
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

// Times of a chunk's records, which come one after the other. Whoever goes through them does so with a copy of his own:
// what he writes could otherwise be these, which a processor would have to fetch again for each record.
struct RecordTimes {
  const uint8_t *high, *low;
  const uint8_t *escape, *escapes_end;  // null: one of them was cut off
  uint64_t ticks = 0;

  // Of the next record; above kTickBits it may say anything.
  uint64_t next() {
    uint64_t above = *high++;
    if (above == kTimeEscape) above += next_escape();
    return ticks += above << 8 | *low++;
  }
  uint64_t next_escape() {
    uint64_t value = 0;
    if (escape != nullptr) escape = read_varint(escape, escapes_end, &value);
    return value;
  }
};

}  // namespace

struct ChunkDecoder::State {
  std::vector<uint8_t> raw;
  std::vector<uint64_t> first_ticks;
  // Of the chunk in hand: records of each tag, and where those of all tags begin in `words`, tag by tag.
  std::array<uint32_t, kTags> counts{};
  std::vector<uint32_t> places;
  std::vector<Anchor> anchors;         // of the chunk in hand, while its clock is made
  std::vector<Anchor> anchors_before;  // of the chunks before this one

  Status inflate(const ChunkHeader& header, const uint8_t* stored);
  struct Wanted {
    bool comms_only = false;
    const WantedWords* words = nullptr;  // null: all
  };
  Status decode(const ChunkHeader& header, const uint8_t* stored, const Wanted& wanted,
                DecodedChunk* out);
  void complete_clock(DecodedChunk* out);
  Status read_records(const ChunkHeader& header, const Wanted& wanted, ByteReader* in,
                      DecodedChunk* out);
  bool count_tags(const uint8_t* tag, uint64_t records, uint64_t* words);
  const uint8_t* place_records(const Tag* tag, RecordTimes times, DecodedChunk* out);
  void place_by_tag(const Tag* tags, DecodedChunk* out) const;
  const uint8_t* read_ticks(RecordTimes times, DecodedChunk* out) const;
  bool read_words(ByteReader* in, DecodedChunk* out) const;
  bool read_words_by_tag(const WantedWords& wanted, ByteReader* in, DecodedChunk* out) const;
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
  anchors = out->clock.anchors();
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
  anchors_before.swap(anchors);
}

// Of every tag that occurs, and how many words all records have.
bool ChunkDecoder::State::count_tags(const uint8_t* tag, uint64_t records, uint64_t* words) {
  Tag highest = 0;
  for (uint64_t i = 0; i < records; ++i) highest = std::max(highest, tag[i]);
  if (highest >= kTags) return false;
  // By turns in two places: neighbors mostly have the same tag, and a processor waits for what it has just written.
  std::array<uint32_t, kTags> odd{};
  counts.fill(0);
  for (uint64_t i = 0; i + 1 < records; i += 2) ++counts[tag[i]], ++odd[tag[i + 1]];
  if (records % 2 != 0) ++counts[tag[records - 1]];
  for (unsigned t = 0; t <= highest; ++t) counts[t] += odd[t];
  *words = 0;
  for (unsigned t = 0; t <= highest; ++t) {
    if (counts[t] == 0) continue;
    if (kRecordShapes[t].words == 0) return false;
    *words += uint64_t{counts[t]} * kRecordShapes[t].words;
  }
  return true;
}

// Word 0 of every record, and where it is: as the threads wrote them. Gives where reading escapes ended.
const uint8_t* ChunkDecoder::State::place_records(const Tag* tag, RecordTimes times,
                                                  DecodedChunk* out) {
  std::array<uint32_t*, kTags> next;
  places.resize(out->header.records);
  uint32_t* of_tag = places.data();
  for (unsigned t = 0; t < kTags; ++t) {
    next[t] = of_tag;
    of_tag += counts[t];
  }
  uint64_t* const words = out->words.data();
  uint32_t at = 0;
  for (size_t p = 0; p < out->pieces.size(); ++p) {
    out->pieces[p].first_word = at;
    times.ticks = first_ticks[p];
    for (uint32_t i = out->pieces[p].records; i != 0; --i, ++tag) {
      words[at] = make_word0(*tag, times.next());
      *next[*tag]++ = at;
      at += kWordsOf[*tag];
    }
  }
  return times.escape;
}

// The ticks of every record, beside its tag. Gives the same.
const uint8_t* ChunkDecoder::State::read_ticks(RecordTimes times, DecodedChunk* out) const {
  out->ticks.resize(out->header.records);
  uint64_t* ticks = out->ticks.data();
  for (size_t p = 0; p < out->pieces.size(); ++p) {
    times.ticks = first_ticks[p];
    for (uint32_t i = out->pieces[p].records; i != 0; --i)
      *ticks++ = ticks_of(make_word0(0, times.next()));
  }
  return times.escape;
}

// Tag by tag, and word 0 only where somebody asks for it: of a chunk with communicators.
void ChunkDecoder::State::place_by_tag(const Tag* tags, DecodedChunk* out) const {
  out->tags.assign(tags, tags + out->header.records);
  uint32_t at = 0;
  for (unsigned t = 0; t < kTags; ++t) {
    out->first_of_tag[t] = at;
    at += counts[t] * kWordsOf[t];
  }
  if (!out->has_comms) return;
  std::array<uint32_t, kTags> next = out->first_of_tag;
  for (size_t i = 0; i < out->tags.size(); ++i) {
    const Tag tag = out->tags[i];
    out->words[next[tag]] = make_word0(tag, out->ticks[i]);
    next[tag] += kWordsOf[tag];
  }
}

bool ChunkDecoder::State::read_words(ByteReader* in, DecodedChunk* out) const {
  TagRecords records{places.data(), 0, out->words.data()};
  for (unsigned t = 0; t < kTags; ++t) {
    records.count = counts[t];
    if (records.count == 0) continue;
    if (!read_columns(kRecordShapes[t], WordMask(~0u), in, records)) return false;
    records.places += records.count;
  }
  return in->left() == 0;
}

bool ChunkDecoder::State::read_words_by_tag(const WantedWords& wanted, ByteReader* in,
                                            DecodedChunk* out) const {
  for (unsigned t = 0; t < kTags; ++t) {
    if (counts[t] == 0) continue;
    const AdjacentRecords records{out->words.data() + out->first_of_tag[t], counts[t]};
    if (!read_columns(kRecordShapes[t], wanted[t], in, records)) return false;
  }
  return in->left() == 0;
}

Status ChunkDecoder::State::read_records(const ChunkHeader& header, const Wanted& wanted,
                                         ByteReader* in, DecodedChunk* out) {
  const uint64_t records = in->varint();
  if (in->failed()) return broken("description");
  if (records != header.records || records > kMaxChunkRecords) return broken("record counts");
  const uint8_t* tag = in->take(records);
  const uint8_t* high = in->take(records);
  const uint8_t* low = in->take(records);
  const uint64_t escape_bytes = in->varint();
  const uint8_t* escapes = in->take(escape_bytes);
  if (in->failed()) return broken("time columns");
  out->has_comms = false;
  if (wanted.comms_only && std::none_of(tag, tag + records, is_comm)) {
    out->pieces.clear();
    out->words.clear();
    return Status();
  }
  uint64_t total_words = 0, total_records = 0;
  if (!count_tags(tag, records, &total_words)) return broken("columns");
  for (const DecodedPiece& piece : out->pieces) total_records += piece.records;
  if (total_records != records) return broken("pieces");
  out->has_comms = counts[kCommInitTag] + counts[kCommFinalizeTag] + counts[kCommInfoTag] != 0;

  out->words.resize(total_words);
  out->tags.clear();
  const RecordTimes times{high, low, escapes, escapes + escape_bytes};
  const uint8_t* const read =
      wanted.words == nullptr ? place_records(tag, times, out) : read_ticks(times, out);
  if (read != times.escapes_end) return broken("time columns");
  if (wanted.words != nullptr) place_by_tag(tag, out);
  const bool whole =
      wanted.words == nullptr ? read_words(in, out) : read_words_by_tag(*wanted.words, in, out);
  return whole ? Status() : broken("columns");
}

Status ChunkDecoder::decode_records(const ChunkHeader& header, const uint8_t* stored,
                                    DecodedChunk* out, const WantedWords* wanted) {
  return state_->decode(header, stored, {false, wanted}, out);
}

Status ChunkDecoder::decode_comms(const ChunkHeader& header, const uint8_t* stored,
                                  DecodedChunk* out) {
  return state_->decode(header, stored, {true, nullptr}, out);
}

ChunkDecoder::ChunkDecoder() : state_(std::make_unique<State>()) {}
ChunkDecoder::~ChunkDecoder() = default;

Status ChunkDecoder::State::decode(const ChunkHeader& header, const uint8_t* stored,
                                   const Wanted& wanted, DecodedChunk* out) {
  try {
    Status status = inflate(header, stored);
    if (!status.ok()) return status;
    out->header = header;
    ByteReader in(raw.data(), raw.size());
    read_clock(&in, &anchors, out);
    read_strings(&in, out);
    read_pieces(&in, out, &first_ticks);
    if (!in.failed()) complete_clock(out);
    read_counts(&in, out);
    return read_records(header, wanted, &in, out);
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
