#include <fstream>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "dumper/run/process_records.h"
#include "test/unit/dumper/segment/samples.h"

namespace lockstep::dumper {
namespace {

std::vector<uint64_t> read_words(const std::string& path, std::vector<Damage>* damage) {
  auto reader = SegmentReader::open(path);
  EXPECT_TRUE(reader.ok()) << reader.message();
  std::vector<uint64_t> words;
  SegmentChunk chunk;
  while (reader.value()->next(&chunk)) {
    if (chunk.type != ChunkType::Records) continue;
    words.insert(words.end(), chunk.records.words.begin(), chunk.records.words.end());
  }
  *damage = reader.value()->damage();
  return words;
}

// A segment with facts and `chunks` chunks of 20 records each; returns where each chunk of records
// ends.
std::vector<uint64_t> write_sample(const std::string& directory, unsigned chunks,
                                   std::string* path) {
  SegmentWriter writer(sample_options(directory), system_file_io());
  writer.set_facts("{\"host\":\"host.example\"}");
  std::vector<uint64_t> ends;
  for (unsigned i = 0; i < chunks; ++i) {
    const auto words = random_records(20, i);
    EncodedChunk chunk = encode({piece_of(words, 1, i + 1)});
    EXPECT_TRUE(writer.append(&chunk).ok());
    ends.push_back(writer.bytes_on_disk());
  }
  *path = writer.path();
  return ends;
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(file), {});
}
void write_bytes(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

TEST(Segment, GivesBackWhatWasWritten) {
  const TempDir directory;
  std::string path;
  write_sample(directory.path(), 3, &path);

  std::vector<Damage> damage;
  std::vector<uint64_t> expected;
  for (unsigned i = 0; i < 3; ++i) {
    const auto words = random_records(20, i);
    expected.insert(expected.end(), words.begin(), words.end());
  }
  EXPECT_EQ(read_words(path, &damage), expected);
  EXPECT_TRUE(damage.empty());
}

TEST(Segment, KeepsEveryWholeChunkWhereverTheFileIsCut) {
  const TempDir directory;
  std::string path;
  const auto ends = write_sample(directory.path(), 3, &path);
  const std::string whole = bytes_of(path);
  ASSERT_EQ(whole.size(), ends.back());
  for (size_t size = 0; size < whole.size(); ++size) {
    write_bytes(path, whole.substr(0, size));
    std::vector<Damage> damage;
    const auto words = read_words(path, &damage);
    std::vector<uint64_t> expected;
    for (unsigned i = 0; i < 3 && ends[i] <= size; ++i) {
      const auto chunk = random_records(20, i);
      expected.insert(expected.end(), chunk.begin(), chunk.end());
    }
    ASSERT_EQ(words, expected) << "cut at " << size;
    for (const Damage& d : damage) EXPECT_TRUE(d.torn_tail) << to_sentence(d);
  }
}

TEST(Segment, LosesOnlyTheChunkWhoseByteIsFlipped) {
  const TempDir directory;
  std::string path;
  const auto ends = write_sample(directory.path(), 3, &path);
  const std::string whole = bytes_of(path);
  for (size_t at = ends[0]; at < ends[1]; ++at) {
    std::string bytes = whole;
    bytes[at] = static_cast<char>(bytes[at] ^ 0x10);
    write_bytes(path, bytes);

    std::vector<Damage> damage;
    const auto words = read_words(path, &damage);

    auto expected = random_records(20, 0);
    const auto last = random_records(20, 2);
    expected.insert(expected.end(), last.begin(), last.end());
    ASSERT_EQ(words, expected) << "byte " << at;
    ASSERT_EQ(damage.size(), 1u);
    EXPECT_EQ(damage[0].offset, ends[0]);
    EXPECT_EQ(damage[0].bytes, ends[1] - ends[0]);
    EXPECT_FALSE(damage[0].torn_tail);
  }
}

TEST(Segment, RefusesAFileThatIsNoSegment) {
  const TempDir directory;
  const std::string path = directory.path() + "/a.1.0.lks";
  write_bytes(path,
              "not a segment, but long enough to hold the header of one, I believe...........");

  const auto reader = SegmentReader::open(path);

  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(reader.message(),
            path + ": not a lockstep segment (its first 8 bytes are not LKSTEP1)");
}

TEST(Segment, RefusesVersionsAndFeaturesItDoesNotKnow) {
  const TempDir directory;
  std::string path;
  write_sample(directory.path(), 1, &path);
  const std::string whole = bytes_of(path);
  for (const bool version : {true, false}) {
    SegmentHeader header;
    std::memcpy(&header, whole.data(), sizeof header);
    (version ? header.version : header.features) = 2;
    header.checksum = XXH3_64bits(&header, offsetof(SegmentHeader, checksum));
    std::string bytes = whole;
    std::memcpy(bytes.data(), &header, sizeof header);
    write_bytes(path, bytes);

    const auto reader = SegmentReader::open(path);

    ASSERT_FALSE(reader.ok());
    EXPECT_NE(reader.message().find("does not know; use a newer one"), std::string::npos)
        << reader.message();
  }
}

TEST(Segment, StillReadsTheChunksBehindADamagedHeader) {
  const TempDir directory;
  std::string path;
  write_sample(directory.path(), 1, &path);
  std::string bytes = bytes_of(path);
  bytes[20] = static_cast<char>(bytes[20] ^ 1);
  write_bytes(path, bytes);

  std::vector<Damage> damage;
  EXPECT_EQ(read_words(path, &damage), random_records(20, 0));
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(to_sentence(damage[0]),
            path + ": 64 bytes at offset 0: the segment header's checksum does not match");
}

TEST(ProcessRecords, MergesThreadsInTimeOrderAcrossChunks) {
  const TempDir directory;
  SegmentWriter writer(sample_options(directory.path()), system_file_io());
  constexpr uint64_t kRecords = 1000;
  // Thread 1 has the even ticks and thread 2 the odd ones; thread 2 is always one chunk behind.
  auto stops = [](uint64_t from, uint64_t to, uint64_t odd) {
    std::vector<uint64_t> words;
    for (uint64_t i = from; i < to; ++i) {
      words.push_back(make_word0(stop_tag(Kind::Coll), 1000 + 2 * i + odd));
      words.push_back(make_event_id(Kind::Coll, 1, i));
    }
    return words;
  };
  ChunkEncoder encoder;
  for (uint64_t from = 0; from <= kRecords; from += 100) {
    const auto even = stops(from, std::min(from + 100, kRecords), 0);
    const auto odd = stops(from == 0 ? 0 : from - 100, from, 1);
    encoder.add(piece_of(even, 1, from));
    encoder.add(piece_of(odd, 2, from + 1));
    EncodedChunk chunk;
    ChunkContext context;
    context.complete_ticks = from == 0 ? 1 : 1000 + 2 * from;
    ASSERT_TRUE(encoder.finish(context, &chunk).ok());
    ASSERT_TRUE(writer.append(&chunk).ok());
  }
  const auto run = RunDirectory::open(directory.path());
  ASSERT_TRUE(run.ok()) << run.message();

  ProcessRecords records(run.value().processes.at(0));
  TimedRecord record;
  uint64_t expected = 1000;
  while (records.next(&record)) ASSERT_EQ(ticks_of(record.words[0]), expected++);
  EXPECT_EQ(expected, 1000 + 2 * kRecords);
}

TEST(RunDirectory, SaysWhatIsMissing) {
  const TempDir directory;

  EXPECT_NE(RunDirectory::open(directory.path()).message().find("no lockstep segments"),
            std::string::npos);
  std::ofstream(directory.path() + "/lockstep-0-1.blocks") << "records";
  EXPECT_NE(RunDirectory::open(directory.path()).message().find("1 process kept records in memory"),
            std::string::npos)
      << RunDirectory::open(directory.path()).message();
  EXPECT_NE(RunDirectory::open(directory.path() + "/x").message().find("cannot read the directory"),
            std::string::npos);
}

TEST(RunDirectory, TakesSegmentNamesApartFromTheRight) {
  RunFileName name;

  ASSERT_TRUE(parse_segment_name("node-1.example.org.4711.12.lks", &name));
  EXPECT_EQ(name.host, "node-1.example.org");
  EXPECT_EQ(name.pid, 4711u);
  EXPECT_EQ(name.number, 12u);
  for (const char* wrong :
       {"a.lks", "a.1.lks", ".1.2.lks", "a.x.2.lks", "a.1.99999999999.lks", "a.1.2.log", ".lks"}) {
    EXPECT_FALSE(parse_segment_name(wrong, &name)) << wrong;
  }
}

}  // namespace
}  // namespace lockstep::dumper
