// A segment file (`<host>.<pid>.<n>.lks`): what the dump thread writes and every reader reads. Byte
// layout in full: docs/format.md. A segment is a header and then chunks; a chunk is self-contained
// (its own strings, clock anchors and counts), length-prefixed and checksummed, so that a torn tail
// or a damaged chunk affects no other. Files are append-only and little-endian. A reader refuses a
// version or feature bit it does not know.
#pragma once

#include <cstdint>

namespace lockstep {

constexpr uint8_t kSegmentMagic[8] = {'L', 'K', 'S', 'T', 'E', 'P', '1', '\n'};
constexpr uint32_t kChunkMagic = 0x4b434b4c;  // "LKCK"
constexpr uint32_t kFormatVersion = 1;
// Feature bits a reader must know to read the file at all.
constexpr uint32_t kKnownFeatures = 0;

struct SegmentHeader {
  uint8_t magic[8];
  uint32_t version;
  uint32_t features;
  uint64_t process_uid;      // the same in all segments of a process
  uint32_t segment_number;   // 0, 1, ... within the process; recovery continues the numbering
  uint32_t writer;           // 0 = the process itself, 1 = `lockstep recover`
  uint64_t created_real_ns;  // CLOCK_REALTIME
  uint64_t tick_base;        // raw counter value of tick 0
  uint64_t reserved;
  uint64_t checksum;  // XXH3 of the 56 bytes before
};
static_assert(sizeof(SegmentHeader) == 64);

enum class ChunkType : uint8_t {
  Facts = 1,    // JSON: host, boot id, pid, start time, job ids, ABI version, options with origins,
                // library version
  Records = 2,  // records in columns, with strings, anchors, pieces and kept counts
  Comms = 3,  // JSON: communicators alive at the start of this segment, so that each segment stands
              // alone
  // JSON: running totals of losses and calls, what a deleted segment held, run-time changes.
  Ledger = 4,
  End = 5,   // JSON: the process drained everything and closed; the final ledger
  Load = 6,  // what a host's sampler read (load_record.h); in `<host>.load` only
};

struct ChunkHeader {
  uint32_t magic;
  uint8_t type;  // ChunkType; unknown types are skipped and counted
  uint8_t reserved0;
  uint16_t reserved1;
  uint32_t stored_bytes;  // after this header: one zstd frame
  uint32_t raw_bytes;     // of the frame's content, at most kMaxChunkBytes
  uint32_t records;       // in a Records chunk, else 0
  uint32_t sequence;      // of the chunk within the process, from 0: a gap means a lost chunk
  uint64_t first_raw_ns;  // CLOCK_MONOTONIC_RAW of the earliest and latest record, for seeking; 0
                          // in other chunks
  uint64_t last_raw_ns;
  uint64_t checksum;  // XXH3 of the header with this field 0, then of the stored bytes
};
static_assert(sizeof(ChunkHeader) == 48);

constexpr uint32_t kMaxChunkBytes = 64u << 20;

}  // namespace lockstep
