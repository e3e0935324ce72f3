// Bytes being put together. Keeps its memory when cleared and, unlike std::vector, never touches
// bytes before they are written, so that large rooms cost nothing. Owned by one thread.
#pragma once

#include <algorithm>
#include <cstring>
#include <memory>

#include "dumper/segment/varint.h"

namespace lockstep::dumper {

class ByteBuffer {
 public:
  // Room for `more` bytes at the returned place; end_at() says how far they were written.
  uint8_t* room(size_t more) {
    if (size_ + more > capacity_) grow(more);
    return data_.get() + size_;
  }
  void end_at(const uint8_t* end) { size_ = static_cast<size_t>(end - data_.get()); }
  void varint(uint64_t value) { end_at(put_varint(room(kMaxVarintBytes), value)); }
  void append(const void* bytes, size_t count) {
    if (count == 0) return;
    std::memcpy(room(count), bytes, count);
    size_ += count;
  }

  uint8_t* data() { return data_.get(); }
  const uint8_t* data() const { return data_.get(); }
  size_t size() const { return size_; }
  void clear() { size_ = 0; }

 private:
  void grow(size_t more) {
    const size_t capacity = std::max(2 * capacity_, size_ + more);
    std::unique_ptr<uint8_t[]> grown(new uint8_t[capacity]);
    if (size_ != 0) std::memcpy(grown.get(), data_.get(), size_);
    data_ = std::move(grown);
    capacity_ = capacity;
  }

  std::unique_ptr<uint8_t[]> data_;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace lockstep::dumper
