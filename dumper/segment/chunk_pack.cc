// A chunk put together from its columns, and compressed (chunk_encoder_state.h).
#include <cstring>
#include <new>

#include "dumper/segment/chunk_encoder_state.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kLeastSectionBytes = 4096;
// What ending a section early may add to the compressed size, generously.
constexpr size_t kFlushBytes = 64;

}  // namespace

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
    const Tag tag = tag_of(comm_records[at]);
    if (tag == kCommFinalizeTag) continue;
    const uint64_t name =
        tag == kCommInitTag ? comm_records[at + 4] >> 48 : comm_records[at + 3] & 0xffff;
    if (name < kFirstString || context.strings == nullptr) continue;
    const auto number = static_cast<unsigned>(name);
    out->comm_names.emplace_back(number, std::string(context.strings->text(number)));
  }
}

Status ChunkEncoder::State::compress(const ChunkContext& context, EncodedChunk* out) {
  if (raw.size() > kMaxChunkBytes)
    return Status::error("a chunk of records grew beyond the format's limit");
  out->bytes.resize(sizeof(ChunkHeader) + ZSTD_compressBound(raw.size()) +
                    kFlushBytes * section_ends.size());
  if (zstd == nullptr) zstd.reset(ZSTD_createCCtx());
  if (zstd == nullptr) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(zstd.get(), ZSTD_c_compressionLevel, context.zstd_level);
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

}  // namespace lockstep::dumper
