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

#include <array>
#include <memory>

#include "dumper/segment/counts.h"
#include "dumper/segment/varint.h"
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

// Most records of a chunk.
constexpr uint32_t kMaxChunkRecords = 1u << 20;

// Of a piece: its thread's name, padded with zeros, and its flags.
constexpr size_t kThreadNameBytes = 16;
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

// The columns of one tag while a chunk is being encoded. Owned by ChunkEncoder. While the low part of
// word 1's id stays the same, records are only counted; the count goes to `kept` when it changes.
class TagColumns {
 public:
  // Words 1 and up of one record of this tag.
  void add(const RecordShape& shape, Tag tag, const uint64_t* words, Counts* kept) {
    if (records_ == capacity_) grow(columns_of_shape(shape));
    Column* column = columns_.get();
    for (unsigned word = 1; word < shape.words; ++word) {
      const uint64_t value = words[word];
      switch (shape.types[word]) {
        case WordType::Id:
          if (word == 1 && (value & kIdLowMask) != column[1].previous)
            count_run(tag, column[1], kept);
          dense(column[0], value >> kIdLowBits);
          sparse(column[1], value & kIdLowMask);
          column += 2;
          break;
        case WordType::Plain:
          dense(*column++, value);
          break;
        case WordType::Strings:
          sparse(*column++, value);
          break;
        default:
          sparse(column[0], value & 0xffffffffu);
          dense(column[1], value >> 32);
          column += 2;
      }
    }
    ++records_;
  }

  uint32_t records() const { return records_; }
  // Counts what add() had not yet; then the columns can be taken.
  void close(const RecordShape& shape, Tag tag, Counts* kept) {
    if (shape.types[1] == WordType::Id) count_run(tag, columns_[1], kept);
    if (is_mark(tag)) kept->add(make_count_key(kUnknownComm, kMarkKind, Call::Start), records_);
  }
  size_t column_bytes(unsigned column) const {
    return static_cast<size_t>(columns_[column].out - start_of(column));
  }
  const uint8_t* start_of(unsigned column) const {
    return bytes_.get() + size_t{column} * capacity_ * kMaxBytesPerRecord;
  }
  void reset(unsigned columns);

 private:
  // A sparse value in full: distance (32 bits) and difference (64 bits).
  static constexpr size_t kMaxBytesPerRecord = 5 + kMaxVarintBytes;
  static constexpr uint32_t kFirstCapacity = 256;
  struct Column {
    uint8_t* out = nullptr;
    uint64_t previous = 0;
    uint32_t changed_at = 0;  // record of the last change; sparse columns only
  };

  static void dense(Column& column, uint64_t value) {
    column.out = put_varint(column.out, zigzag(value - column.previous));
    column.previous = value;
  }
  void sparse(Column& column, uint64_t value) {
    if (value == column.previous) return;
    column.out = put_varint(column.out, records_ - column.changed_at);
    column.changed_at = records_;
    dense(column, value);
  }
  void count_run(Tag tag, const Column& low, Counts* kept);
  void grow(unsigned columns);

  uint32_t records_ = 0, capacity_ = 0;
  std::unique_ptr<Column[]> columns_;
  std::unique_ptr<uint8_t[]> bytes_;
};

}  // namespace lockstep::dumper
