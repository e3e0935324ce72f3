#include "dumper/segment/piece_cut.h"

#include "lockstep/record_shape.h"

namespace lockstep::dumper {
namespace {

size_t words_of_records(const Piece& piece, size_t most) {
  const size_t words = piece.bytes / sizeof(uint64_t);
  size_t at = 0;
  for (size_t i = 0; i < most && at < words; ++i) {
    const Tag tag = tag_of(piece.words[at]);
    if (tag >= kTags || kRecordShapes[tag].words == 0) return words;
    at += kRecordShapes[tag].words;
  }
  return at;
}

}  // namespace

bool cut_piece(const Piece& whole, size_t most, Piece* first, Piece* rest) {
  const size_t words = words_of_records(whole, most);
  if (words >= whole.bytes / sizeof(uint64_t)) return false;
  const auto bytes = static_cast<uint32_t>(words * sizeof(uint64_t));
  *first = whole;
  first->bytes = bytes;
  first->closes_block = false;
  first->calls = nullptr;
  *rest = whole;
  rest->words += words;
  rest->bytes -= bytes;
  rest->from_byte += bytes;
  return true;
}

}  // namespace lockstep::dumper
