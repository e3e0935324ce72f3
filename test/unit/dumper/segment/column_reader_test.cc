#include "dumper/segment/column_reader.h"

#include <zstd.h>

#include "test/unit/dumper/segment/samples.h"

namespace lockstep::dumper {
namespace {

// Some words of some tags, all of others, and of the rest none.
WantedWords some_words() {
  std::mt19937_64 random(4);
  WantedWords wanted{};
  for (WordMask& mask : wanted) mask = static_cast<WordMask>(random() % 4 == 0 ? 0 : random());
  return wanted;
}

Status decode_content(std::vector<uint8_t> content, ChunkHeader header, const WantedWords* wanted,
                      DecodedChunk* out) {
  std::vector<uint8_t> stored(ZSTD_compressBound(content.size()));
  stored.resize(ZSTD_compress(stored.data(), stored.size(), content.data(), content.size(), 1));
  header.stored_bytes = static_cast<uint32_t>(stored.size());
  header.raw_bytes = static_cast<uint32_t>(content.size());
  return ChunkDecoder().decode_records(header, stored.data(), out, wanted);
}

struct Content {
  ChunkHeader header{};
  std::vector<uint8_t> bytes;
  explicit Content(const std::vector<uint64_t>& words) {
    const EncodedChunk chunk = encode({piece_of(words, 1, 1)});
    std::memcpy(&header, chunk.bytes.data(), sizeof header);
    bytes.resize(header.raw_bytes);
    ZSTD_decompress(bytes.data(), bytes.size(), chunk.bytes.data() + sizeof header,
                    header.stored_bytes);
  }
};

// Each record's words, found tag by tag.
TEST(ColumnReader, GivesTheWantedWordsTagByTagWhateverWasThereBefore) {
  const std::vector<uint64_t> words = random_records(600, 2);
  const WantedWords wanted = some_words();
  const Content content(words);
  DecodedChunk decoded;
  decoded.words.assign(50'000, ~uint64_t{0});  // of a chunk before
  ASSERT_TRUE(decode_content(content.bytes, content.header, &wanted, &decoded).ok());
  ASSERT_EQ(decoded.words.size(), words.size());
  ASSERT_EQ(decoded.ticks.size(), decoded.tags.size());
  std::array<uint32_t, kTags> next = decoded.first_of_tag;
  auto written = decoded.tags.begin();
  auto ticks = decoded.ticks.begin();
  for (size_t at = 0; at < words.size(); ++written, ++ticks) {
    const Tag tag = tag_of(words[at]);
    ASSERT_EQ(*written, tag);
    ASSERT_EQ(*ticks, ticks_of(words[at]));
    const uint64_t* const found = decoded.words.data() + next[tag];
    ASSERT_TRUE(!decoded.has_comms || found[0] == words[at]);
    for (unsigned word = 1; word < kRecordShapes[tag].words; ++word) {
      const bool is_wanted = (wanted[tag] >> word & 1) != 0;
      ASSERT_TRUE(!is_wanted || found[word] == words[at + word]);
    }
    next[tag] += kRecordShapes[tag].words;
    at += kRecordShapes[tag].words;
  }
  EXPECT_EQ(written, decoded.tags.end());
}

TEST(ColumnReader, SaysNothingOfTagsWhereRecordsLieAsTheyWereWritten) {
  const WantedWords wanted = some_words();
  const std::vector<uint64_t> words = random_records(60, 2);
  const Content content(words);
  DecodedChunk decoded;
  ASSERT_TRUE(decode_content(content.bytes, content.header, &wanted, &decoded).ok());
  ASSERT_TRUE(decode_content(content.bytes, content.header, nullptr, &decoded).ok());
  EXPECT_TRUE(decoded.tags.empty());
  EXPECT_EQ(decoded.words, words);
}

// A chunk with a right checksum and a wrong content is refused whoever reads it, with the same sentence.
TEST(ColumnReader, RefusesWhatDoesNotAddUpAlsoInWordsThatAreNotWanted) {
  const Content content(random_records(60, 11));
  const WantedWords none{}, some = some_words();
  std::mt19937_64 random(1);
  size_t refused = 0, taken = 0;
  for (int round = 0; round < 4'000; ++round) {
    std::vector<uint8_t> bytes = content.bytes;
    for (int flips = 1 + round % 2; flips > 0; --flips)
      bytes[random() % bytes.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    if (round % 5 == 0) bytes.resize(bytes.size() - random() % 20);
    DecodedChunk all, part;
    const Status expected = decode_content(bytes, content.header, nullptr, &all);
    for (const WantedWords* wanted : {&none, &some}) {
      const Status status = decode_content(bytes, content.header, wanted, &part);
      ASSERT_EQ(status.ok() ? "" : status.message(), expected.ok() ? "" : expected.message())
          << round;
    }
    ++(expected.ok() ? taken : refused);
  }
  EXPECT_GT(refused, 100u);
  EXPECT_GT(taken, 100u);
}

// A number of eleven bytes, and one that is cut short, where the count of numbers is right.
TEST(ColumnReader, RefusesNumbersThatAreNone) {
  const RecordShape shape = kRecordShapes[kCommFinalizeTag];  // one word, Plain
  ASSERT_EQ(shape.words, 2u);
  std::vector<uint64_t> words(8);
  const uint32_t places[] = {0, 2, 4, 6};
  const auto reads = [&](std::vector<uint8_t> bytes, WordMask wanted) {
    bytes.insert(bytes.begin(), static_cast<uint8_t>(bytes.size()));
    ByteReader apart(bytes.data(), bytes.size()), adjacent = apart;
    const bool whole = read_columns(shape, wanted, &apart, TagRecords{places, 4, words.data()});
    const std::vector<uint64_t> scattered = words;
    EXPECT_EQ(read_columns(shape, wanted, &adjacent, AdjacentRecords{words.data(), 4}), whole);
    EXPECT_TRUE(!whole || words == scattered);
    return whole;
  };
  for (const WordMask wanted : {WordMask{0}, WordMask{2}}) {
    EXPECT_TRUE(reads({2, 2, 2, 2}, wanted));
    EXPECT_EQ(words[7], wanted == 0 ? 0u : 4u);
    EXPECT_TRUE(reads({2, 0x82, 0, 2, 2}, wanted));
    EXPECT_FALSE(reads({2, 2, 2, 0x82}, wanted));
    EXPECT_FALSE(reads({2, 2, 2}, wanted));
    EXPECT_FALSE(reads({2, 2, 2, 2, 2}, wanted));
    EXPECT_FALSE(reads({2, 2, 2, 2, 0x82}, wanted));
    std::vector<uint8_t> longest(9, 0x80);
    longest.insert(longest.end(), {0, 2, 2, 2});
    EXPECT_TRUE(reads(longest, wanted));
    longest.insert(longest.begin(), 0x80);
    EXPECT_FALSE(reads(longest, wanted));
  }
}

// Eight bytes at once, and one after the other where the end is near or the number is longer.
TEST(Varints, AreReadBackOfAnyLengthWhateverFollows) {
  std::mt19937_64 random(5);
  for (unsigned round = 0; round < 20'000; ++round) {
    const uint64_t value = random() >> random() % 64;
    std::vector<uint8_t> bytes(kMaxVarintBytes);
    const auto length = static_cast<size_t>(put_varint(bytes.data(), value) - bytes.data());
    bytes.resize(length + random() % 10, static_cast<uint8_t>(random()));
    uint64_t read = 0;
    ASSERT_EQ(read_varint(bytes.data(), bytes.data() + bytes.size(), &read), bytes.data() + length);
    ASSERT_EQ(read, value);
    ASSERT_EQ(read_varint(bytes.data(), bytes.data() + length - 1, &read), nullptr);
  }
}

}  // namespace
}  // namespace lockstep::dumper
