// Records into a Records chunk (docs/format.md has the bytes). The dump thread, or recovery, owns one
// ChunkEncoder and gives it pieces of blocks; finish() makes the chunk that SegmentWriter appends. The
// encoder takes whatever a block holds: at the first word that is not the start of a whole record it
// stops that piece and says how many bytes it left. Memory is kept from chunk to chunk; lack of it
// throws in add() only. Nothing here knows files.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dumper/segment/columns.h"
#include "dumper/segment/counts.h"
#include "lockstep/shared_blocks.h"
#include "lockstep/status.h"
#include "lockstep/trace_format.h"

namespace lockstep::dumper {

// A stretch of one block's records, in the order the thread wrote them. Pieces of a block must be
// given without gap.
struct Piece {
  const uint64_t* words = nullptr;
  uint32_t bytes = 0;      // of records here
  uint32_t from_byte = 0;  // where in the block's payload they begin
  uint32_t tid = 0;
  char thread_name[kThreadNameBytes] = {};
  uint64_t block_sequence = 0;
  uint64_t previous_sequence = 0;                // of the same thread's block before, 0 = none
  bool closes_block = false;                     // no record of this block will follow
  const std::atomic<uint64_t>* calls = nullptr;  // BlockHeader::calls, read when closes_block
};

// Where the encoder finds the text of string number n (kNullString and kOverflowString are never
// asked for).
class StringSource {
 public:
  virtual ~StringSource() = default;
  virtual std::string_view text(unsigned number) const = 0;
};

struct ChunkContext {
  // Ascending; at least two, on both sides of the records where that is possible.
  const Anchor* anchors = nullptr;
  size_t anchor_count = 0;
  // Every record with fewer ticks, of any thread, is in this chunk or in an earlier one; 0 = not
  // known. Readers merge threads in time order up to here.
  uint64_t complete_ticks = 0;
  const StringSource* strings = nullptr;
  int zstd_level = 1;
};

struct EncodedChunk {
  // Header and stored bytes; SegmentWriter fills in sequence and checksum.
  std::vector<uint8_t> bytes;
  Counts kept;                         // records in it, by (communicator, kind, call)
  CallCounts calls{};                  // of the blocks it closes
  std::vector<uint64_t> comm_records;  // words of its COMM_* records, one after the other
  std::vector<std::pair<uint32_t, std::string>> comm_names;  // texts of the strings they use
};

// Chunks are finished at about this many records or raw bytes; a chunk may exceed it by one piece.
constexpr uint32_t kChunkTargetRecords = 64 * 1024;
static_assert(kChunkTargetRecords + kBlockBytes / 16 < kMaxChunkRecords);

class ChunkEncoder {
 public:
  ChunkEncoder();
  ~ChunkEncoder();
  ChunkEncoder(const ChunkEncoder&) = delete;
  ChunkEncoder& operator=(const ChunkEncoder&) = delete;

  void add(const Piece& piece);
  uint32_t records() const;
  bool empty() const;  // of pieces
  bool full() const { return records() >= kChunkTargetRecords; }
  // Forgets everything: add() throws std::bad_alloc and then leaves half a piece behind.
  void clear();
  // Forgets everything, and keeps no memory for the next chunk: columns of one of usual size take 8 MiB.
  void give_memory_back();
  // Leaves the encoder empty, also on error (out of memory only).
  Status finish(const ChunkContext& context, EncodedChunk* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A chunk of JSON text, ready for SegmentWriter.
Status encode_text(ChunkType type, std::string_view text, std::vector<uint8_t>* out);

}  // namespace lockstep::dumper
