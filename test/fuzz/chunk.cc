// The content of one chunk, before compression: a type, for Records the header's count of records,
// then what the chunk holds. Records that decode must encode to records that decode to the same;
// JSON that reads must write JSON that reads to the same.
#include <zstd.h>

#include <cstring>

#include "dumper/segment/chunk_decode.h"
#include "dumper/segment/chunk_encode.h"
#include "dumper/segment/ledger.h"
#include "dumper/segment/live_comms.h"
#include "dumper/segment/process_facts.h"
#include "lockstep/record_shape.h"

using namespace lockstep;

namespace {

void require(bool holds) {
  if (!holds) __builtin_trap();
}

Status decode(const std::vector<uint8_t>& bytes, dumper::DecodedChunk* out) {
  ChunkHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return dumper::ChunkDecoder().decode_records(header, bytes.data() + sizeof header, out);
}

dumper::EncodedChunk encode(const dumper::DecodedChunk& from) {
  dumper::ChunkEncoder encoder;
  for (size_t i = 0; i < from.pieces.size(); ++i) {
    dumper::Piece piece;
    piece.words = from.words.data() + from.pieces[i].first_word;
    piece.bytes =
        static_cast<uint32_t>((from.end_of(i) - from.pieces[i].first_word) * sizeof(uint64_t));
    encoder.add(piece);
  }
  dumper::EncodedChunk out;
  const std::vector<Anchor>& anchors = from.clock.anchors();
  require(
      encoder.finish({anchors.data(), anchors.size(), from.complete_ticks, nullptr, 1}, &out).ok());
  return out;
}

void read_records(const uint8_t* content, size_t size, uint32_t records) {
  std::vector<uint8_t> bytes(sizeof(ChunkHeader) + ZSTD_compressBound(size));
  ChunkHeader header{};
  header.stored_bytes = static_cast<uint32_t>(
      ZSTD_compress(bytes.data() + sizeof header, bytes.size() - sizeof header, content, size, -5));
  header.raw_bytes = static_cast<uint32_t>(size);
  header.records = records;
  std::memcpy(bytes.data(), &header, sizeof header);
  dumper::DecodedChunk first, again;
  if (!decode(bytes, &first).ok()) return;
  dumper::LiveComms comms;
  for (size_t at = 0; at < first.words.size(); at += kRecordShapes[tag_of(first.words[at])].words) {
    if (is_comm(tag_of(first.words[at]))) comms.apply(&first.words[at], first.strings);
  }
  require(decode(encode(first).bytes, &again).ok());
  require(first.words == again.words);
}

void read_text(ChunkType type, std::string_view text) {
  if (type == ChunkType::Facts) {
    const auto facts = dumper::facts_from_json(text);
    if (facts.ok()) require(dumper::facts_from_json(dumper::facts_to_json(facts.value())).ok());
  } else if (type == ChunkType::Comms) {
    dumper::LiveComms comms, again;
    static_cast<void>(comms.merge_json(text));
    require(again.merge_json(comms.to_json()).ok() && again.to_json() == comms.to_json());
  } else {
    const auto ledger = dumper::ledger_from_json(text);
    if (!ledger.ok()) return;
    const std::string written = dumper::ledger_to_json(ledger.value());
    const auto again = dumper::ledger_from_json(written);
    require(again.ok() && dumper::ledger_to_json(again.value()) == written);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kPrefix = 1 + sizeof(uint32_t);
  if (size < kPrefix) return 0;
  const auto type = static_cast<ChunkType>(data[0]);
  uint32_t records;
  std::memcpy(&records, data + 1, sizeof records);
  data += kPrefix;
  size -= kPrefix;
  if (type == ChunkType::Records) {
    read_records(data, size, records);
  } else {
    read_text(type, {reinterpret_cast<const char*>(data), size});
  }
  return 0;
}
