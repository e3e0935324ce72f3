// The columns of one tag while a chunk is being decoded (layout: column_layout.h). Owned by
// ChunkDecoder. The bytes come from a file: a column that ends early or holds nonsense makes
// failed() true and yields some value, never a bad read.
#pragma once

#include <array>

#include "dumper/segment/column_layout.h"
#include "dumper/segment/varint.h"

namespace lockstep::dumper {

class TagReader {
 public:
  void start(const RecordShape& shape, ByteReader* content);
  // Words 1 and up of the next record of this tag.
  void next(const RecordShape& shape, uint64_t* words) {
    Column* column = columns_.data();
    for (unsigned word = 1; word < shape.words; ++word) {
      switch (shape.types[word]) {
        case WordType::Id:
          words[word] = dense(column[0]) << kIdLowBits | sparse(column[1]);
          column += 2;
          break;
        case WordType::Plain:
          words[word] = dense(*column++);
          break;
        case WordType::Strings:
          words[word] = sparse(*column++);
          break;
        default:
          words[word] = sparse(column[0]) | dense(column[1]) << 32;
          column += 2;
      }
    }
    ++records_;
  }
  // True when every column was whole and is used up.
  bool finished(const RecordShape& shape) const;

 private:
  struct Column {
    ByteReader bytes;
    uint64_t value = 0;
    uint64_t change_at = ~uint64_t{0};  // record of the next change; sparse columns only
  };

  static uint64_t dense(Column& column) { return column.value += column.bytes.zigzag_varint(); }
  uint64_t sparse(Column& column) {
    if (records_ == column.change_at) {
      column.value += column.bytes.zigzag_varint();
      plan_change(column, records_);
    }
    return column.value;
  }
  static void plan_change(Column& column, uint64_t from) {
    column.change_at = column.bytes.left() == 0 ? ~uint64_t{0} : from + column.bytes.varint();
  }

  std::array<Column, kMaxColumns> columns_;
  uint64_t records_ = 0;
};

}  // namespace lockstep::dumper
