// How a record's words are split into columns; the one place encoder and decoder agree on. Per tag,
// in word order (word 0 is not here: tag and time have columns of their own for all tags together):
//   Id       dense serial (bits 22-63), sparse low part (bits 0-21: kind, communicator)
//   Plain    dense
//   Strings  sparse
//   others   sparse low half, dense high half
// A dense column has a zigzag varint per record: the difference to the tag's record before. A
// sparse column speaks only where the value changes: varint records since the last change, zigzag
// varint difference. All columns start at 0.
#pragma once

#include "lockstep/record_shape.h"

namespace lockstep::dumper {

constexpr unsigned kIdLowBits = kSerialShift;
constexpr uint64_t kIdLowMask = (uint64_t{1} << kIdLowBits) - 1;

constexpr unsigned columns_of_word(WordType type) {
  return type == WordType::Plain || type == WordType::Strings ? 1 : 2;
}
constexpr unsigned columns_of_shape(const RecordShape& shape) {
  unsigned columns = 0;
  for (unsigned word = 1; word < shape.words; ++word) columns += columns_of_word(shape.types[word]);
  return columns;
}
constexpr unsigned kMaxColumns = 2 * (kMaxWords - 1);

// The time of a record is its ticks minus those of the record before in its piece (the piece says
// its first ticks). Low byte in one column; the rest in a second, or kTimeEscape there and a varint
// of what is above it in a third.
constexpr uint64_t kTimeEscape = 255;

// Flags of a piece.
constexpr uint32_t kPieceCloses = 1;

// Tags whose records hold numbers of the string table.
constexpr std::array<bool, kTags> tags_with_strings() {
  std::array<bool, kTags> with{};
  for (unsigned tag = 0; tag < kTags; ++tag) {
    for (unsigned word = 1; word < kRecordShapes[tag].words; ++word) {
      const WordType type = kRecordShapes[tag].types[word];
      with[tag] = with[tag] ||
                  (type != WordType::Id && type != WordType::Plain && type != WordType::Halves);
    }
  }
  return with;
}
inline constexpr std::array<bool, kTags> kHasStrings = tags_with_strings();

}  // namespace lockstep::dumper
