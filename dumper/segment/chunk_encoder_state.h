// What ChunkEncoder keeps while a chunk is made. chunk_encode.cc turns records into columns,
// chunk_pack.cc puts everything together in the order of docs/format.md and compresses it.
#pragma once

#include <zstd.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dumper/segment/byte_buffer.h"
#include "dumper/segment/chunk_codec.h"
#include "dumper/segment/column_encoder.h"

namespace lockstep::dumper {

struct EncodedPiece {
  uint32_t tid = 0, from_byte = 0, bytes = 0, records = 0, unreadable_bytes = 0, flags = 0,
           call_cells = 0;
  char thread_name[16] = {};
  uint64_t block_sequence = 0, previous_sequence = 0, first_ticks = 0;
};

struct ContextDeleter {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};

struct ChunkEncoder::State {
  TagColumns columns[kTags];
  ByteBuffer tags, time_low, time_high, time_escapes, raw;
  std::vector<size_t> section_ends;  // in raw
  std::vector<EncodedPiece> pieces;
  std::vector<std::pair<unsigned, uint64_t>>
      piece_calls;  // of all pieces, EncodedPiece::call_cells each
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

}  // namespace lockstep::dumper
