#include "dumper/segment/column_reader.h"

#include <utility>

#include "dumper/segment/columns.h"

namespace lockstep::dumper {
namespace {

// One word of each record of a tag, one after the other.
class WordAmong {
 public:
  WordAmong(const TagRecords& records, const RecordShape& /*shape*/, unsigned word)
      : place_(records.places), words_(records.words + word) {}
  uint64_t& next() { return words_[*place_++]; }

 private:
  const uint32_t* place_;
  uint64_t* words_;
};
class AdjacentWord {
 public:
  AdjacentWord(const AdjacentRecords& records, const RecordShape& shape, unsigned word)
      : at_(records.words + word), apart_(shape.words) {}
  uint64_t& next() { return *std::exchange(at_, at_ + apart_); }

 private:
  uint64_t* at_;
  size_t apart_;
};

// What is done with the values of the records, in their order. One column of a word sets it, the other adds its bits.
template <class Word>
struct Set {
  Word word;
  unsigned shift = 0;
  uint64_t other = 0;  // the bits of the other column, where all records have the same
  void operator()(uint64_t value) { word.next() = other | value << shift; }
};
template <class Word>
struct Add {
  Word word;
  unsigned shift = 0;
  void operator()(uint64_t value) { word.next() |= value << shift; }
};
struct Nowhere {
  void operator()(uint64_t) {}
};

// What a byte that is a number of its own says: to look it up is faster than unzigzag(), and most numbers are such.
constexpr std::array<uint64_t, 256> make_differences() {
  std::array<uint64_t, 256> differences{};
  for (unsigned byte = 0; byte < differences.size(); ++byte) differences[byte] = unzigzag(byte);
  return differences;
}
constexpr std::array<uint64_t, 256> kDifferences = make_differences();

// The first number of a chunk is long, most others have a byte each.
template <class Put>
bool read_dense(ByteReader bytes, uint32_t records, Put put) {
  const size_t size = bytes.left();
  const uint8_t* at = bytes.take(size);
  const uint8_t* const end = at + size;
  uint64_t value = 0;
  for (uint32_t left = records; left != 0;) {
    if (at == end) return false;
    uint64_t coded = *at++;
    if (coded >= 0x80) {
      at = read_varint(at - 1, end, &coded);
      if (at == nullptr) return false;
    }
    put(value += unzigzag(coded));
    if (static_cast<size_t>(end - at) != --left) continue;
    uint8_t all = 0;
    for (; at != end; ++at) {
      all |= *at;
      put(value += kDifferences[*at]);
    }
    return all < 0x80;
  }
  return at == end;
}

// Of so many bytes those that end a number.
size_t count_ends(const uint8_t* at, size_t size) {
  const auto sum_of = [](uint64_t ends) {
    return static_cast<size_t>((ends >> 7) * 0x0101010101010101 >> 56);
  };
  size_t ends = 0;
  if (size < 8) {
    for (size_t i = 0; i < size; ++i) ends += at[i] < 0x80 ? 1 : 0;
    return ends;
  }
  size_t i = 0;
  for (; i + 8 <= size; i += 8) ends += sum_of(~eight_bytes(at + i) & kHighBits);
  // The last eight, without those that are counted already.
  const size_t rest = size - i;
  if (rest != 0) ends += sum_of((~eight_bytes(at + size - 8) & kHighBits) >> 8 * (8 - rest));
  return ends;
}

// Whether read_dense() would be content, at a fraction of its cost.
bool is_dense(ByteReader bytes, uint32_t records) {
  const size_t size = bytes.left();
  // With more bytes than this some number may have more than numbers can have.
  if (size < records || size >= records + kMaxVarintBytes)
    return read_dense(bytes, records, Nowhere());
  const uint8_t* const at = bytes.take(size);
  return count_ends(at, size) == records && at[size - 1] < 0x80;
}

uint64_t next_change(uint32_t from, ByteReader* bytes) {
  return bytes->left() == 0 ? ~uint64_t{0} : from + bytes->varint();
}

template <class Put>
bool read_sparse(ByteReader bytes, uint32_t records, Put put) {
  uint64_t value = 0, change_at = next_change(0, &bytes);
  for (uint32_t at = 0; at < records;) {
    if (at == change_at) {
      value += bytes.zigzag_varint();
      change_at = next_change(at, &bytes);
    }
    // One that lies behind does not come, and its value stays unread.
    const uint64_t until = change_at > at ? std::min<uint64_t>(change_at, records) : records;
    for (; at < until; ++at) put(value);
  }
  return !bytes.failed() && bytes.left() == 0;
}

// Whether all records of a sparse column have the same value, which is mostly so.
bool is_constant(ByteReader bytes, uint64_t* value) {
  *value = 0;
  if (bytes.left() == 0) return true;
  if (bytes.varint() != 0) return false;
  *value = bytes.zigzag_varint();
  return !bytes.failed() && bytes.left() == 0;
}

// A word of two columns.
template <class Word>
bool read_both(ByteReader sparse, ByteReader dense, unsigned dense_shift, uint32_t records,
               const Word& word) {
  uint64_t same = 0;
  if (is_constant(sparse, &same))
    return read_dense(dense, records, Set<Word>{word, dense_shift, same});
  return read_sparse(sparse, records, Set<Word>{word}) &&
         read_dense(dense, records, Add<Word>{word, dense_shift});
}

template <class Word>
bool read_wanted(WordType type, const ByteReader* columns, uint32_t records, const Word& word) {
  switch (type) {
    case WordType::Id:
      return read_both(columns[1], columns[0], kIdLowBits, records, word);
    case WordType::Plain:
      return read_dense(columns[0], records, Set<Word>{word});
    case WordType::Strings:
      return read_sparse(columns[0], records, Set<Word>{word});
    default:
      return read_both(columns[0], columns[1], 32, records, word);
  }
}

// Whether read_sparse() would be content.
bool is_sparse(ByteReader bytes, uint32_t records) {
  uint64_t value = 0;
  return is_constant(bytes, &value) || read_sparse(bytes, records, Nowhere());
}

bool is_whole(WordType type, const ByteReader* columns, uint32_t records) {
  switch (type) {
    case WordType::Id:
      return is_dense(columns[0], records) && is_sparse(columns[1], records);
    case WordType::Plain:
      return is_dense(columns[0], records);
    case WordType::Strings:
      return is_sparse(columns[0], records);
    default:
      return is_sparse(columns[0], records) && is_dense(columns[1], records);
  }
}

template <class Word, class Records>
bool read_words(const RecordShape& shape, WordMask wanted, ByteReader* in, const Records& records) {
  ByteReader bytes = *in;
  for (unsigned word = 1; word < shape.words; ++word) {
    const WordType type = shape.types[word];
    ByteReader columns[2];
    for (unsigned i = 0; i < columns_of_word(type); ++i) {
      const uint64_t size = bytes.varint();
      const uint8_t* const column = bytes.take(size);
      if (column == nullptr) return false;
      columns[i] = ByteReader(column, size);
    }
    const bool whole = (wanted >> word & 1) != 0
                           ? read_wanted(type, columns, records.count, Word(records, shape, word))
                           : is_whole(type, columns, records.count);
    if (!whole) return false;
  }
  *in = bytes;
  return true;
}

}  // namespace

bool read_columns(const RecordShape& shape, WordMask wanted, ByteReader* in,
                  const TagRecords& records) {
  return read_words<WordAmong>(shape, wanted, in, records);
}

bool read_columns(const RecordShape& shape, WordMask wanted, ByteReader* in,
                  const AdjacentRecords& records) {
  return read_words<AdjacentWord>(shape, wanted, in, records);
}

}  // namespace lockstep::dumper
