// Numbers as bytes: LEB128 (seven bits a byte, low bits first, the high bit says "more follows"),
// signed ones zigzag first. Writers have made room before (kMaxVarintBytes each); ByteReader is for
// bytes from a file, which may say anything: it never reads past its end and remembers the first
// failure. Owned by one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace lockstep::dumper {

constexpr size_t kMaxVarintBytes = 10;

constexpr uint64_t zigzag(uint64_t delta) { return delta << 1 ^ (uint64_t{0} - (delta >> 63)); }
constexpr uint64_t unzigzag(uint64_t coded) { return coded >> 1 ^ (uint64_t{0} - (coded & 1)); }

inline uint8_t* put_varint(uint8_t* out, uint64_t value) {
  while (value >= 0x80) {
    *out++ = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  *out++ = static_cast<uint8_t>(value);
  return out;
}

// Eight bytes of a file, of which each that ends a number has its high bit clear.
inline uint64_t eight_bytes(const uint8_t* at) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  return bytes;
}
constexpr uint64_t kHighBits = 0x8080808080808080;

// Where the number ends that begins at `at`; null: not before `end`, or it has more bytes than a number can have.
inline const uint8_t* read_varint(const uint8_t* at, const uint8_t* end, uint64_t* value) {
  // All bytes at once where eight are enough: stamps have four, which took a dozen branches.
  if (end - at >= 8) {
    uint64_t bits = eight_bytes(at);
    if (const uint32_t ends = static_cast<uint32_t>(~bits & kHighBits); ends != 0) {
      const uint32_t few = static_cast<uint32_t>(bits) & (ends ^ (ends - 1));
      *value = (few & 0x7f) | (few & 0x7f00) >> 1 | (few & 0x7f0000) >> 2 | (few & 0x7f000000) >> 3;
      return at + (__builtin_ctz(ends) >> 3) + 1;
    }
    if (const uint64_t ends = ~bits & kHighBits; ends != 0) {
      bits &= (ends ^ (ends - 1)) & ~kHighBits;  // of the bytes until the first that ends one
      bits = (bits & 0x007f007f007f007f) | (bits & 0x7f007f007f007f00) >> 1;
      bits = (bits & 0x00003fff00003fff) | (bits & 0x3fff00003fff0000) >> 2;
      *value = (bits & 0x000000000fffffff) | (bits & 0x0fffffff00000000) >> 4;
      return at + (__builtin_ctzll(ends) >> 3) + 1;
    }
  }
  *value = 0;
  for (unsigned shift = 0; at != end && shift < 64; shift += 7) {
    const uint8_t byte = *at++;
    *value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return at;
  }
  return nullptr;
}

class ByteReader {
 public:
  ByteReader() = default;
  ByteReader(const uint8_t* begin, size_t size) : at_(begin), end_(begin + size) {}

  uint64_t varint() {
    if (at_ != end_ && *at_ < 0x80) return *at_++;
    return long_varint();
  }
  uint64_t zigzag_varint() { return unzigzag(varint()); }

  const uint8_t* take(uint64_t size) {
    if (size > left()) {
      fail();
      return nullptr;
    }
    const uint8_t* taken = at_;
    at_ += size;
    return taken;
  }
  std::string_view text(uint64_t size) {
    const uint8_t* taken = take(size);
    return taken == nullptr ? std::string_view()
                            : std::string_view(reinterpret_cast<const char*>(taken), size);
  }

  size_t left() const { return static_cast<size_t>(end_ - at_); }
  bool failed() const { return failed_; }
  void fail() {
    failed_ = true;
    at_ = end_;
  }

 private:
  uint64_t long_varint() {
    uint64_t value = 0;
    at_ = read_varint(at_, end_, &value);
    if (at_ != nullptr) return value;
    fail();
    return 0;
  }

  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  bool failed_ = false;
};

// Bytes being put together. Keeps its memory when cleared and, unlike std::vector, never touches
// bytes before they are written, so that large rooms cost nothing.
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
