#include "dumper/segment/columns.h"

#include <cstring>

namespace lockstep::dumper {

void TagColumns::count_run(Tag tag, const Column& low, Counts* kept) {
  const uint32_t run = records_ - low.changed_at;
  kept->add(make_count_key(comm_of(low.previous), static_cast<unsigned>(kind_of(low.previous)),
                           call_of(tag)),
            run);
}

void TagColumns::grow(unsigned columns) {
  const uint32_t capacity = capacity_ == 0 ? kFirstCapacity : capacity_ * 2;
  // Not value-initialised: most of it is never touched.
  std::unique_ptr<uint8_t[]> bytes(new uint8_t[size_t{columns} * capacity * kMaxBytesPerRecord]);
  if (columns_ == nullptr) columns_ = std::make_unique<Column[]>(columns);
  for (unsigned i = 0; i < columns; ++i) {
    uint8_t* start = bytes.get() + size_t{i} * capacity * kMaxBytesPerRecord;
    const size_t used = capacity_ == 0 ? 0 : column_bytes(i);
    if (used != 0) std::memcpy(start, start_of(i), used);
    columns_[i].out = start + used;
  }
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

void TagColumns::reset(unsigned columns) {
  for (unsigned i = 0; capacity_ != 0 && i < columns; ++i) {
    columns_[i] = Column{bytes_.get() + size_t{i} * capacity_ * kMaxBytesPerRecord, 0, 0};
  }
  records_ = 0;
}

}  // namespace lockstep::dumper
