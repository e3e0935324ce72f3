#include "dumper/segment/column_decoder.h"

namespace lockstep::dumper {

void TagReader::start(const RecordShape& shape, ByteReader* content) {
  records_ = 0;
  unsigned index = 0;
  auto open = [&](bool sparse_column) {
    const uint64_t size = content->varint();
    const uint8_t* bytes = content->take(size);
    Column& column = columns_[index++];
    column = Column();
    if (bytes == nullptr) return;
    column.bytes = ByteReader(bytes, size);
    if (sparse_column) plan_change(column, 0);
  };
  for (unsigned word = 1; word < shape.words; ++word) {
    const WordType type = shape.types[word];
    const bool low_is_sparse = type != WordType::Id && type != WordType::Plain;
    open(low_is_sparse);
    if (columns_of_word(type) == 2) open(!low_is_sparse);
  }
}

bool TagReader::finished(const RecordShape& shape) const {
  for (unsigned i = 0; i < columns_of_shape(shape); ++i) {
    if (columns_[i].bytes.failed() || columns_[i].bytes.left() != 0) return false;
  }
  return true;
}

}  // namespace lockstep::dumper
