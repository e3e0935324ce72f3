// A chunk's stored bytes back into records or text (docs/format.md has the bytes). They come from a
// file and may say anything: a chunk that does not add up is refused as a whole, and nothing is thrown
// but for lack of memory. Memory is kept from chunk to chunk; one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "dumper/segment/chunk_clock.h"
#include "dumper/segment/column_reader.h"
#include "dumper/segment/counts.h"
#include "lockstep/status.h"
#include "lockstep/trace_format.h"

namespace lockstep::dumper {

struct DecodedPiece {
  uint32_t tid = 0;
  std::string thread_name;
  uint64_t block_sequence = 0, previous_sequence = 0;
  uint32_t from_byte = 0, bytes = 0;
  uint32_t unreadable_bytes = 0;  // at its end: the block held something that is no record
  bool closes_block = false;
  uint32_t records = 0;
  // Of its records in DecodedChunk::words, where these lie as they were written.
  size_t first_word = 0;
  // Cell of CallCounts and calls, when it told any.
  std::vector<std::pair<unsigned, uint64_t>> calls;
};

struct DecodedChunk {
  ChunkHeader header{};
  ChunkClock clock;
  size_t borrowed_anchors = 0;  // the first of clock.anchors(), which chunks before this one had
  uint64_t complete_ticks = 0;
  std::vector<std::pair<uint32_t, std::string>> strings;  // number and text
  std::vector<DecodedPiece> pieces;
  // All records one after the other, as the thread wrote them:
  // kRecordShapes[tag_of(words[i])].words each.
  std::vector<uint64_t> words;
  // Where only some words are wanted the records lie tag by tag instead: these are their tags and ticks in the order of the
  // pieces and of their records, and where in `words` the records of each tag begin, in the same order. Word 0 says nothing
  // then but where `has_comms`. Else `tags` is empty.
  std::vector<Tag> tags;
  std::vector<uint64_t> ticks;
  std::array<uint32_t, kTags> first_of_tag{};
  bool has_comms = false;  // COMM_* records are among them
  Counts kept;
  CallCounts calls{};  // the sum of the pieces'

  // Where in `words` the records of pieces[piece] end.
  size_t end_of(size_t piece) const {
    return piece + 1 < pieces.size() ? pieces[piece + 1].first_word : words.size();
  }
};

class ChunkDecoder {
 public:
  ChunkDecoder();
  ~ChunkDecoder();
  // `stored` has header.stored_bytes bytes. The error says what does not fit; `out` is then
  // unspecified. `wanted`: of the records only these words are, the others hold anything, and they lie tag by tag;
  // null: all.
  Status decode_records(const ChunkHeader& header, const uint8_t* stored, DecodedChunk* out,
                        const WantedWords* wanted = nullptr);
  // For who wants the COMM_* records alone: a chunk that has none comes without pieces and records.
  Status decode_comms(const ChunkHeader& header, const uint8_t* stored, DecodedChunk* out);
  // The content of any other chunk, which is JSON text.
  Status decode_text(const ChunkHeader& header, const uint8_t* stored, std::string* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::dumper
