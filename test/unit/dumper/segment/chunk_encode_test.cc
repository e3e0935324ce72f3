#include "test/unit/dumper/segment/samples.h"

namespace lockstep::dumper {
namespace {

TEST(ChunkCodec, GivesBackEveryWordOfEveryTag) {
  for (const Tag tag : all_tags()) {
    std::mt19937_64 random(tag);
    std::vector<uint64_t> words;
    for (uint64_t i = 0; i < 50; ++i) add_random_record(tag, i * i * 100, &random, &words);

    DecodedChunk decoded;
    const Status status = decode(encode({piece_of(words, 7, 1)}), &decoded);

    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(decoded.words, words) << "tag " << unsigned{tag};
  }
}

TEST(ChunkCodec, GivesBackRandomStreamsOfSeveralThreads) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const auto first = random_records(static_cast<unsigned>(seed * 7 % 600), seed);
    const auto second = random_records(static_cast<unsigned>(seed % 50), seed + 1000);

    DecodedChunk decoded;
    const Status status = decode(encode({piece_of(first, 1, 1), piece_of(second, 2, 2)}), &decoded);

    ASSERT_TRUE(status.ok()) << status.message();
    auto both = first;
    both.insert(both.end(), second.begin(), second.end());
    ASSERT_EQ(decoded.words, both) << "seed " << seed;
    ASSERT_EQ(decoded.pieces.size(), 2u);
    EXPECT_EQ(decoded.pieces[1].first_word, first.size());
    EXPECT_EQ(decoded.pieces[1].tid, 2u);
    EXPECT_EQ(decoded.pieces[1].thread_name, "worker");
  }
}

TEST(ChunkCodec, CountsKeptCallsByCommunicatorAndKind) {
  const auto words = random_records(1500, 5);
  const EncodedChunk chunk = encode({piece_of(words, 1, 1)});

  Counts expected;
  for (size_t at = 0; at < words.size(); at += kRecordShapes[tag_of(words[at])].words) {
    const Tag tag = tag_of(words[at]);
    if (is_mark(tag)) expected.add(make_count_key(kUnknownComm, kMarkKind, Call::Start), 1);
    if (tag >= kCommInitTag) continue;
    const Call call = call_of(tag);
    expected.add(
        make_count_key(comm_of(words[at + 1]), static_cast<unsigned>(kind_of(words[at + 1])), call),
        1);
  }
  EXPECT_EQ(chunk.kept, expected);
  DecodedChunk decoded;
  ASSERT_TRUE(decode(chunk, &decoded).ok());
  EXPECT_EQ(decoded.kept, expected);
}

TEST(ChunkCodec, StopsAPieceAtWhatIsNoRecordAndSaysHowMuchItLeft) {
  auto words = random_records(10, 3);
  const size_t good = words.size();
  words.push_back(200);  // no such tag
  words.push_back(1);

  DecodedChunk decoded;
  ASSERT_TRUE(decode(encode({piece_of(words, 1, 1)}), &decoded).ok());

  EXPECT_EQ(decoded.words.size(), good);
  EXPECT_EQ(decoded.pieces[0].unreadable_bytes, 16u);
}

TEST(ChunkCodec, LeavesARecordThatTheBlockCutsShort) {
  const std::vector<uint64_t> words = {make_word0(start_tag(Kind::Coll), 5), 1, 2};

  DecodedChunk decoded;
  ASSERT_TRUE(decode(encode({piece_of(words, 1, 1)}), &decoded).ok());

  EXPECT_TRUE(decoded.words.empty());
  EXPECT_EQ(decoded.pieces[0].unreadable_bytes, 24u);
}

TEST(ChunkCodec, CarriesTheTextsOfTheStringsItsRecordsUse) {
  std::vector<uint64_t> words = {make_word0(start_tag(Kind::CollApi), 5)};
  for (unsigned i = 1; i < kRecordShapes[start_tag(Kind::CollApi)].words; ++i) words.push_back(0);
  words[5] = 17 | 18 << 16;  // func, datatype

  DecodedChunk decoded;
  ASSERT_TRUE(decode(encode({piece_of(words, 1, 1)}), &decoded).ok());

  ASSERT_EQ(decoded.strings.size(), 2u);
  EXPECT_EQ(decoded.strings[0], std::make_pair(uint32_t{17}, std::string("text 17")));
  EXPECT_EQ(decoded.strings[1].first, 18u);
}

TEST(ChunkCodec, SumsTheCallsOfTheBlocksItCloses) {
  std::vector<std::atomic<uint64_t>> calls(kCallCells);
  calls[call_cell(1, Call::Start)] = 5;
  Piece piece;
  piece.block_sequence = 9;
  piece.closes_block = true;
  piece.calls = calls.data();

  DecodedChunk decoded;
  ASSERT_TRUE(decode(encode({piece, piece}), &decoded).ok());

  EXPECT_EQ(decoded.calls[call_cell(1, Call::Start)], 10u);
  EXPECT_TRUE(decoded.pieces[0].closes_block);
}

TEST(ChunkCodec, RefusesEveryDamagedContentWithoutABadRead) {
  const EncodedChunk good = encode({piece_of(random_records(200, 9), 1, 1)});
  std::mt19937_64 random(1);
  for (int round = 0; round < 2000; ++round) {
    EncodedChunk bad = good;
    for (int flips = 0; flips < 3; ++flips) {
      bad.bytes[random() % bad.bytes.size()] ^= static_cast<uint8_t>(1u << random() % 8);
    }
    DecodedChunk decoded;
    ChunkHeader header;
    std::memcpy(&header, bad.bytes.data(), sizeof header);
    header.stored_bytes = static_cast<uint32_t>(bad.bytes.size() - sizeof header);
    static_cast<void>(
        ChunkDecoder().decode_records(header, bad.bytes.data() + sizeof header, &decoded));
  }
}

TEST(ChunkCodec, KeepsAnEncoderUsableAfterEachChunk) {
  ChunkEncoder encoder;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto words = random_records(500, seed);
    encoder.add(piece_of(words, 1, seed + 1));
    EncodedChunk chunk;
    ASSERT_TRUE(encoder.finish({}, &chunk).ok());
    DecodedChunk decoded;
    ASSERT_TRUE(decode(chunk, &decoded).ok());
    ASSERT_EQ(decoded.words, words);
  }
}

// The blocks of a chunk's frame and what they have (RFC 8878, 3.1.1).
struct Blocks {
  size_t all = 0, with_huffman_codes = 0, with_tables = 0;  // tables of their own for lengths
};

// Of a block whose literals are no codes.
bool has_tables(const uint8_t* at) {
  const unsigned format = at[0] >> 2 & 3;
  const size_t header = format == 1 ? 2 : format == 3 ? 3 : 1;
  const size_t literals = header == 1 ? at[0] >> 3
                          : header == 2
                              ? (at[0] | unsigned{at[1]} << 8) >> 4
                              : (at[0] | unsigned{at[1]} << 8 | unsigned{at[2]} << 16) >> 4;
  at += header + ((at[0] & 3) == 1 ? 1 : literals);
  if (*at == 0) return false;
  at += *at < 128 ? 1 : 2;
  return (*at >> 6) == 2 || (*at >> 2 & 3) == 2;
}

Blocks blocks_of(const EncodedChunk& chunk) {
  const uint8_t* frame = chunk.bytes.data() + sizeof(ChunkHeader);
  const unsigned size_flag = frame[4] >> 6;
  const bool single_segment = (frame[4] & 0x20) != 0;
  const size_t size_bytes = size_flag != 0 ? size_t{1} << size_flag : single_segment ? 1 : 0;
  const uint8_t* at = frame + 5 + (single_segment ? 0 : 1) + size_bytes;
  Blocks blocks;
  for (bool last = false; !last; ++blocks.all) {
    const unsigned block = at[0] | unsigned{at[1]} << 8 | unsigned{at[2]} << 16;
    const unsigned type = block >> 1 & 3;
    last = (block & 1) != 0;
    if (type == 2 && (at[3] & 3) >= 2) {
      ++blocks.with_huffman_codes;
    } else if (type == 2) {
      blocks.with_tables += has_tables(at + 3);
    }
    at += 3 + (type == 1 ? 1 : block >> 3);
  }
  return blocks;
}

// Of few different bytes, so that Huffman codes would pay.
std::vector<uint64_t> plain_records(unsigned count) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> words;
  for (uint64_t i = 0; i < count; ++i) {
    words.push_back(make_word0(stop_tag(Kind::Coll), i * 100 + random() % 16));
    words.push_back(make_event_id(Kind::Coll, 1, i * 20 + random() % 16));
  }
  return words;
}

TEST(ChunkCodec, LeavesTheLiteralsOfSmallChunksAsTheyAre) {
  const auto few = plain_records(600), many = plain_records(4'000);
  ChunkEncoder encoder;
  const auto chunk_of = [&](const std::vector<uint64_t>& words) {
    EncodedChunk chunk;
    encoder.add(piece_of(words, 1, 1));
    EXPECT_TRUE(encoder.finish({}, &chunk).ok());
    return chunk;
  };

  EXPECT_EQ(blocks_of(chunk_of(few)).with_huffman_codes, 0u);
  EXPECT_GT(blocks_of(chunk_of(many)).with_huffman_codes, 0u);
  EXPECT_EQ(blocks_of(chunk_of(few)).with_huffman_codes, 0u);
}

// Of a rank that calls ten times a second what it has in a second, each time a little later than the last one.
TEST(ChunkCodec, NeedsNoTablesForSmallChunks) {
  constexpr Kind kKinds[] = {Kind::GroupApi,     Kind::CollApi,  Kind::Coll,
                             Kind::KernelLaunch, Kind::KernelCh, Kind::ProxyOp};
  std::mt19937_64 random(1);
  std::vector<uint64_t> words;
  for (uint64_t call = 0; call < 10; ++call) {
    uint64_t ticks = call * 100'000'000;
    for (const Kind kind : kKinds) {
      for (const Tag tag : {start_tag(kind), stop_tag(kind), start_tag(kind), stop_tag(kind)}) {
        words.push_back(make_word0(tag, ticks += random() % 10'000));
        for (unsigned word = 1; word < kRecordShapes[tag].words; ++word)
          words.push_back(make_event_id(kind, 1, call * 20 + word));
      }
    }
  }
  ChunkEncoder encoder;
  encoder.add(piece_of(words, 1, 1));
  EncodedChunk chunk;
  ASSERT_TRUE(encoder.finish({}, &chunk).ok());

  const Blocks blocks = blocks_of(chunk);
  EXPECT_GT(blocks.all, 1u);
  EXPECT_EQ(blocks.with_tables, 0u);
}

}  // namespace
}  // namespace lockstep::dumper
