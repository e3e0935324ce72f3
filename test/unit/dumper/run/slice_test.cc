#include "dumper/run/slice.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>

#include "test/unit/dumper/run/rounded_process.h"

namespace lockstep::dumper {
namespace {

// As another host gets it.
ProcessEntry sent(const ProcessEntry& process, RawSpan span, const std::string& directory,
                  uint32_t kinds = kAllKinds) {
  const Slice slice(process, span, kinds);
  uint64_t bytes = 0;
  {
    std::ofstream file(directory + "/" + slice.name(), std::ios::binary);
    const Status status = slice.write([&](std::string_view piece) {
      file.write(piece.data(), static_cast<std::streamsize>(piece.size()));
      bytes += piece.size();
      return true;
    });
    EXPECT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(bytes, slice.bytes());
  auto run = RunDirectory::open(directory);
  EXPECT_TRUE(run.ok()) << run.message();
  return run.value().processes.at(0);
}

struct Content {
  std::vector<std::vector<uint64_t>> records;  // sorted
  std::map<uint32_t, uint32_t> ranks;          // by communicator
  Ledger ledger;
  bool ended = false;
};

Content content(const ProcessEntry& process, RawSpan span) {
  Content found;
  ProcessReader reader(process, span.options());
  LiveComms comms;
  SegmentChunk chunk;
  while (reader.next(&chunk)) {
    if (chunk.type == ChunkType::Comms) {
      EXPECT_TRUE(comms.merge_json(chunk.text).ok());
    }
    if (chunk.type != ChunkType::Records) continue;
    const std::vector<uint64_t>& words = chunk.records.words;
    for (size_t at = 0; at < words.size(); at += kRecordShapes[tag_of(words[at])].words) {
      const uint64_t ns = chunk.records.clock.raw_ns(ticks_of(words[at]));
      if (ns < span.from_ns || ns > span.to_ns) continue;
      found.records.emplace_back(
          words.begin() + static_cast<ptrdiff_t>(at),
          words.begin() + static_cast<ptrdiff_t>(at + kRecordShapes[tag_of(words[at])].words));
    }
  }
  std::sort(found.records.begin(), found.records.end());
  for (const auto& [number, facts] : comms.all()) found.ranks[number] = facts.rank;
  found.ledger = reader.ledger();
  found.ended = reader.ended();
  EXPECT_TRUE(reader.damage_sentences().empty());
  return found;
}

TEST(Slice, SaysOfItsSpanWhatTheFilesSay) {
  for (const uint64_t rotate_bytes : {uint64_t{0}, uint64_t{1} << 20}) {
    RoundedProcess process(rotate_bytes);
    for (uint64_t i = 0; i < 600; ++i) process.round(i, i < 300 ? 1 : 7);
    process.end(600 * kSecond);
    const ProcessEntry entry = process.entry();

    for (const RawSpan span : {RawSpan{400 * kSecond, 405 * kSecond},
                               RawSpan{598 * kSecond, ~uint64_t{0}}, RawSpan{0, 2 * kSecond}}) {
      const TempDir directory;
      const Content from_files = content(entry, span);
      const Content from_slice = content(sent(entry, span, directory.path()), span);
      ASSERT_FALSE(from_files.records.empty());
      EXPECT_EQ(from_slice.records, from_files.records) << span.from_ns;
      EXPECT_EQ(from_slice.ledger.losses, from_files.ledger.losses);
      EXPECT_EQ(from_slice.ended, from_files.ended);
      EXPECT_EQ(from_slice.ranks, from_files.ranks) << span.from_ns;
    }
  }
}

TEST(Slice, IsAWholeRecordingToAReaderThatKnowsNoSpans) {
  RoundedProcess process;
  for (uint64_t i = 0; i < 600; ++i) process.round(i, i < 300 ? 1 : 7);
  process.end(600 * kSecond);
  const TempDir directory;

  const ProcessEntry slice =
      sent(process.entry(), {400 * kSecond, 405 * kSecond}, directory.path());

  EXPECT_EQ(slice.facts.host, "host.example");
  ProcessReader reader(slice, {});
  SegmentChunk chunk;
  std::vector<ChunkType> types;
  while (reader.next(&chunk)) types.push_back(chunk.type);
  EXPECT_EQ(types.front(), ChunkType::Facts);
  EXPECT_EQ(types.at(1), ChunkType::Comms);
  EXPECT_EQ(types.back(), ChunkType::End);
  EXPECT_LE(types.size(), 12u) << "chunks of other times";
  EXPECT_TRUE(reader.damage_sentences().empty()) << reader.damage_sentences().front();
}

TEST(Slice, LeavesOutOtherKindsOfEventsAndNothingElse) {
  RoundedProcess process;
  for (uint64_t i = 0; i < 60; ++i) process.round(i, i < 30 ? 1 : 7);
  process.end(60 * kSecond);
  const ProcessEntry entry = process.entry();
  const RawSpan span{20 * kSecond, 50 * kSecond};
  const auto kind_of_record = [](const std::vector<uint64_t>& record) {
    return tag_of(record[0]) < kCommInitTag ? static_cast<int>(kind_of(record[1])) : -1;
  };
  const Content expected = content(entry, span);

  for (const Kind kind : {Kind::Coll, Kind::KernelCh}) {
    const TempDir directory;
    const Content left = content(
        sent(entry, span, directory.path(), uint32_t{1} << static_cast<unsigned>(kind)), span);
    std::vector<std::vector<uint64_t>> same;
    for (const auto& record : expected.records) {
      if (kind_of_record(record) == static_cast<int>(kind) || kind_of_record(record) < 0)
        same.push_back(record);
    }
    EXPECT_EQ(left.records, same) << static_cast<int>(kind);
    EXPECT_EQ(left.ranks, expected.ranks);
    EXPECT_EQ(left.ended, expected.ended);
  }
}

TEST(Slice, IsWholeThoughADiskBudgetDeletesItsSegmentsBeforeTheyAreSent) {
  RoundedProcess process(1 << 16);
  for (uint64_t i = 0; i < 60; ++i) process.round(i, 1);
  const ProcessEntry entry = process.entry();
  ASSERT_GT(entry.segments.size(), 2u);
  const Slice slice(entry, {}, kAllKinds);
  for (const SegmentFile& segment : entry.segments) ASSERT_EQ(std::remove(segment.path.c_str()), 0);

  uint64_t bytes = 0;
  const Status status = slice.write([&](std::string_view piece) {
    bytes += piece.size();
    return true;
  });

  EXPECT_TRUE(status.ok()) << status.message();
  EXPECT_EQ(bytes, slice.bytes());
}

TEST(Slice, EndsWhereItsBytesAreNotWanted) {
  RoundedProcess process;
  for (uint64_t i = 0; i < 5; ++i) process.round(i, 1);
  const Slice slice(process.entry(), {}, kAllKinds);

  const Status status = slice.write([](std::string_view) { return false; });

  EXPECT_FALSE(status.ok());
}

}  // namespace
}  // namespace lockstep::dumper
