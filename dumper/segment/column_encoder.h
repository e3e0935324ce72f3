// The columns of one tag while a chunk is being encoded (layout: column_layout.h). Owned by
// ChunkEncoder. While the low part of word 1's id stays the same, records are only counted; the
// count goes to `kept` when it changes.
#pragma once

#include <memory>

#include "dumper/segment/column_layout.h"
#include "dumper/segment/counts.h"
#include "dumper/segment/varint.h"

namespace lockstep::dumper {

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

constexpr Call call_of(Tag tag) {
  return is_start(tag) ? Call::Start : is_stop(tag) ? Call::Stop : Call::State;
}

}  // namespace lockstep::dumper
