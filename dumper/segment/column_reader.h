// The columns of a chunk's records back into their words (columns.h says how they were split), a column at a time: each
// is one short loop, and one that nobody wants is checked and not put anywhere. The bytes come from a file and may say
// anything: a column that ends early, is not used up or holds nonsense is refused, and nothing is read or written beyond
// its bounds. For ChunkDecoder; one thread at a time.
#pragma once

#include <array>
#include <cstdint>

#include "dumper/segment/varint.h"
#include "lockstep/record_shape.h"

namespace lockstep::dumper {

// Words of a tag's records, a bit each; word 0 is always wanted.
using WordMask = uint16_t;
static_assert(kMaxWords <= 16);
using WantedWords = std::array<WordMask, kTags>;

// The records of one tag among those of all, in the order in which they were written.
struct TagRecords {
  const uint32_t* places = nullptr;  // where each begins
  uint32_t count = 0;                // at least one
  uint64_t* words = nullptr;         // of all records
};
// Those of one tag that lie one behind the other.
struct AdjacentRecords {
  uint64_t* words = nullptr;
  uint32_t count = 0;  // at least one
};

// Reads the columns of one tag, in their order, and puts what they hold into the wanted words of its records. Each has
// its length before it. False: they do not add up.
bool read_columns(const RecordShape& shape, WordMask wanted, ByteReader* in,
                  const TagRecords& records);
bool read_columns(const RecordShape& shape, WordMask wanted, ByteReader* in,
                  const AdjacentRecords& records);

}  // namespace lockstep::dumper
