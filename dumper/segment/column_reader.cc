#include "dumper/segment/column_reader.h"

#include <algorithm>

#include "dumper/segment/columns.h"

namespace lockstep::dumper {
namespace {

// What is done with a value of a record. The first column of a word sets it, the second adds its bits.
template <bool kFirst>
class ToWord {
 public:
  ToWord(const TagRecords& records, unsigned word, unsigned shift)
      : places_(records.places), words_(records.words + word), shift_(shift) {}
  void operator()(uint32_t record, uint64_t value) const {
    uint64_t& word = words_[places_[record]];
    word = (kFirst ? 0 : word) | value << shift_;
  }

 private:
  const uint32_t* places_;
  uint64_t* words_;
  unsigned shift_;
};
struct Nowhere {
  void operator()(uint32_t, uint64_t) const {}
};

template <class Put>
bool read_dense(ByteReader bytes, uint32_t records, const Put& put) {
  const size_t size = bytes.left();
  const uint8_t* at = bytes.take(size);
  const uint8_t* const end = at + size;
  uint64_t value = 0;
  if (size == records) {  // mostly: a byte each
    uint8_t all = 0;
    for (uint32_t i = 0; i < records; ++i) {
      all |= at[i];
      put(i, value += unzigzag(at[i]));
    }
    return all < 0x80;
  }
  for (uint32_t i = 0; i < records; ++i) {
    uint64_t coded = 0;
    at = read_varint(at, end, &coded);
    if (at == nullptr) return false;
    put(i, value += unzigzag(coded));
  }
  return at == end;
}

// Whether read_dense() would be content, at a fraction of its cost.
bool is_dense(ByteReader bytes, uint32_t records) {
  const size_t size = bytes.left();
  // With more bytes than this some number may have more than numbers can have.
  if (size < records || size >= records + kMaxVarintBytes)
    return read_dense(bytes, records, Nowhere());
  const uint8_t* const at = bytes.take(size);
  const auto ends = std::count_if(at, at + size, [](uint8_t byte) { return byte < 0x80; });
  return static_cast<size_t>(ends) == records && at[size - 1] < 0x80;
}

uint64_t next_change(uint32_t from, ByteReader* bytes) {
  return bytes->left() == 0 ? ~uint64_t{0} : from + bytes->varint();
}

template <class Put>
bool read_sparse(ByteReader bytes, uint32_t records, const Put& put) {
  uint64_t value = 0, change_at = next_change(0, &bytes);
  for (uint32_t at = 0; at < records;) {
    if (at == change_at) {
      value += bytes.zigzag_varint();
      change_at = next_change(at, &bytes);
    }
    // One that lies behind does not come, and its value stays unread.
    const uint64_t until = change_at > at ? std::min<uint64_t>(change_at, records) : records;
    for (; at < until; ++at) put(at, value);
  }
  return !bytes.failed() && bytes.left() == 0;
}

bool read_wanted(WordType type, unsigned word, const ByteReader* columns,
                 const TagRecords& records) {
  const ToWord<true> set(records, word, 0);
  switch (type) {
    case WordType::Id:
      return read_dense(columns[0], records.count, ToWord<true>(records, word, kIdLowBits)) &&
             read_sparse(columns[1], records.count, ToWord<false>(records, word, 0));
    case WordType::Plain:
      return read_dense(columns[0], records.count, set);
    case WordType::Strings:
      return read_sparse(columns[0], records.count, set);
    default:
      return read_sparse(columns[0], records.count, set) &&
             read_dense(columns[1], records.count, ToWord<false>(records, word, 32));
  }
}

bool is_whole(WordType type, const ByteReader* columns, uint32_t records) {
  switch (type) {
    case WordType::Id:
      return is_dense(columns[0], records) && read_sparse(columns[1], records, Nowhere());
    case WordType::Plain:
      return is_dense(columns[0], records);
    case WordType::Strings:
      return read_sparse(columns[0], records, Nowhere());
    default:
      return read_sparse(columns[0], records, Nowhere()) && is_dense(columns[1], records);
  }
}

}  // namespace

bool read_columns(const RecordShape& shape, WordMask wanted, const ByteReader* columns,
                  const TagRecords& records) {
  for (unsigned word = 1; word < shape.words; ++word) {
    const WordType type = shape.types[word];
    const bool whole = (wanted >> word & 1) != 0 ? read_wanted(type, word, columns, records)
                                                 : is_whole(type, columns, records.count);
    if (!whole) return false;
    columns += columns_of_word(type);
  }
  return true;
}

}  // namespace lockstep::dumper
