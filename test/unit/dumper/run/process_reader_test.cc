// A span of time of a process: which chunks are read for it, and what a reader must know from before.
#include "dumper/run/process_reader.h"

#include <algorithm>
#include <fstream>

#include "dumper/run/known_comms.h"
#include "dumper/run/process_records.h"
#include "test/unit/dumper/run/rounded_process.h"

namespace lockstep::dumper {
namespace {

struct Chunks {
  std::vector<uint32_t> sequences;  // of the Records chunks that were handed out
  std::vector<uint64_t> times;      // of the records in them that are of the span, sorted
};

Chunks read(const ProcessEntry& process, RawSpan span, ProcessPlaces* places = nullptr) {
  Chunks chunks;
  ProcessReader reader(process, span.options(), places);
  SegmentChunk chunk;
  while (reader.next(&chunk)) {
    if (chunk.type != ChunkType::Records) continue;
    const uint64_t* at = chunk.records.words.data();
    const uint64_t* const end = at + chunk.records.words.size();
    for (; at != end; at += kRecordShapes[tag_of(*at)].words) {
      const uint64_t ns = chunk.records.clock.raw_ns(ticks_of(*at));
      if (ns >= span.from_ns && ns <= span.to_ns) chunks.times.push_back(ns);
    }
    chunks.sequences.push_back(chunk.header.sequence);
  }
  std::sort(chunks.times.begin(), chunks.times.end());
  EXPECT_EQ(reader.missing_chunks(), 0u);
  EXPECT_TRUE(reader.damage_sentences().empty());
  return chunks;
}

// The same records, looked for in everything.
Chunks expected(const ProcessEntry& process, RawSpan span) {
  Chunks all = read(process, {});
  std::vector<uint64_t> inside;
  for (const uint64_t ns : all.times) {
    if (ns >= span.from_ns && ns <= span.to_ns) inside.push_back(ns);
  }
  return {all.sequences, inside};
}

constexpr uint64_t kRounds = 900;

TEST(Span, HasEveryRecordOfItsTime) {
  for (const uint64_t rotate_bytes : {uint64_t{0}, uint64_t{1} << 20}) {
    RoundedProcess process(rotate_bytes);
    for (uint64_t i = 0; i < kRounds; ++i) process.round(i, 1);
    process.end(kRounds * kSecond);
    const ProcessEntry entry = process.entry();
    ASSERT_EQ(entry.segments.size() > 1, rotate_bytes != 0);

    std::mt19937_64 random(3);
    for (int i = 0; i < 12; ++i) {
      const uint64_t from_ns = 1 + random() % (kRounds * kSecond);
      const RawSpan span{from_ns, from_ns + random() % (40 * kSecond)};
      EXPECT_EQ(read(entry, span).times, expected(entry, span).times) << from_ns;
    }
  }
}

TEST(Span, ReadsNoChunkOfAnotherTime) {
  RoundedProcess process;
  for (uint64_t i = 0; i < kRounds; ++i) process.round(i, 1);
  process.end(kRounds * kSecond);

  const Chunks chunks = read(process.entry(), {500 * kSecond, 502 * kSecond});

  // Rounds 500 to 502, and 501 to 503 for the thread that is late.
  EXPECT_GE(chunks.sequences.size(), 3u);
  EXPECT_LE(chunks.sequences.size(), 5u);
}

TEST(Span, DoesNotLookAtBytesFarAway) {
  RoundedProcess process;
  for (uint64_t i = 0; i < kRounds; ++i) process.round(i, 1);
  process.end(kRounds * kSecond);
  const ProcessEntry entry = process.entry();
  const RawSpan span{(kRounds - 3) * kSecond, ~uint64_t{0}};
  const std::vector<uint64_t> before = read(entry, span).times;
  ASSERT_FALSE(before.empty());
  {
    std::fstream file(entry.segments.at(0).path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(entry.segments.at(0).bytes / 8));
    const std::string zeros(entry.segments.at(0).bytes / 8, '\0');
    file.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
  }

  EXPECT_EQ(read(process.entry(), span).times, before);
}

TEST(Span, KnowsTheCommunicatorsThatBeganBefore) {
  RoundedProcess process;
  for (uint64_t i = 0; i < kRounds; ++i) process.round(i, i < 600 ? 1 : 7);
  process.end(kRounds * kSecond);
  const ProcessEntry entry = process.entry();
  ProcessReader reader(entry, RawSpan{880 * kSecond, ~uint64_t{0}}.options());
  LiveComms comms;

  SegmentChunk chunk;
  ASSERT_TRUE(reader.next(&chunk));
  ASSERT_EQ(chunk.type, ChunkType::Comms) << "the list comes before the records that need it";
  ASSERT_TRUE(comms.merge_json(chunk.text).ok());

  ASSERT_EQ(comms.all().count(1), 1u);
  ASSERT_EQ(comms.all().count(7), 1u) << "begun in the middle of the segment";
  EXPECT_EQ(comms.all().at(7).rank, 17u);
  EXPECT_EQ(comms.all().at(7).ranks, 32u);
}

TEST(Span, KnowsTheCommunicatorsThatBeganBeforeInASmallSegment) {
  RoundedProcess process;
  for (uint64_t i = 0; i < 60; ++i) process.round(i, i < 30 ? 1 : 7);
  process.end(60 * kSecond);
  const ProcessEntry entry = process.entry();
  ProcessReader reader(entry, RawSpan{50 * kSecond, 55 * kSecond}.options());
  LiveComms comms;
  SegmentChunk chunk;
  while (reader.next(&chunk)) learn_comms(chunk, &comms);
  EXPECT_EQ(comms.all().size(), 2u);
}

TEST(Span, TellsNoCommunicatorThatNobodyUsesToWhoWantsNoMore) {
  RoundedProcess process;
  for (uint64_t i = 0; i < kRounds; ++i)
    process.round(i, i >= 300 && i < 400 ? 7 : i < 800 ? 1 : 5);
  process.end(kRounds * kSecond);
  const ProcessEntry entry = process.entry();
  const auto told = [&](uint64_t from_s, bool used_only) {
    SegmentReaderOptions options = RawSpan{from_s * kSecond, (from_s + 10) * kSecond}.options();
    options.used_comms_only = used_only;
    ProcessReader reader(entry, options);
    LiveComms comms;
    SegmentChunk chunk;
    while (reader.next(&chunk)) learn_comms(chunk, &comms);
    return comms.all().size();
  };

  EXPECT_EQ(told(700, false), 2u);
  EXPECT_EQ(told(700, true), 1u) << "7 is not looked for";
  EXPECT_EQ(told(850, true), 3u) << "5 is, and 7 lies before it";
}

// One after another, as a pyramid is made: with what the parts before found out, and further back at times.
TEST(Span, HasTheSameAfterOtherPartsTold) {
  for (const uint64_t rotate_bytes : {uint64_t{0}, uint64_t{1} << 20}) {
    RoundedProcess process(rotate_bytes);
    for (uint64_t i = 0; i < kRounds; ++i) process.round(i, i < 300 ? 1 : 7);
    process.end(kRounds * kSecond);
    const ProcessEntry entry = process.entry();
    ProcessPlaces places;
    for (const uint64_t from_s : {0u, 80u, 180u, 290u, 280u, 400u, 600u, 500u, 800u}) {
      const RawSpan span{from_s * kSecond, (from_s + 120) * kSecond};
      const Chunks alone = read(entry, span), told = read(entry, span, &places);
      EXPECT_EQ(told.times, alone.times) << from_s;
      EXPECT_EQ(told.sequences, alone.sequences) << from_s;
    }
    EXPECT_GT(places.place_of(500 * kSecond)->offset, 0u);
    EXPECT_FALSE(places.place_of(1));

    ProcessReader reader(entry, RawSpan{500 * kSecond, ~uint64_t{0}}.options(), &places);
    SegmentChunk chunk;
    ASSERT_TRUE(reader.next(&chunk));
    ASSERT_EQ(chunk.type, ChunkType::Comms);
    LiveComms comms;
    ASSERT_TRUE(comms.merge_json(chunk.text).ok());
    EXPECT_EQ(comms.all().size(), 2u);
    EXPECT_EQ(comms.all().at(7).rank, 17u);
    ASSERT_NE(places.comms_at(*places.place_of(200 * kSecond)), nullptr);
    EXPECT_EQ(places.comms_at(*places.place_of(200 * kSecond))->all().size(), 1u)
        << "the other one begins later";
  }
}

TEST(Span, HasTheTotalsOfTheWholeRecording) {
  RoundedProcess process;
  for (uint64_t i = 0; i < kRounds; ++i) process.round(i, 1);
  process.end(kRounds * kSecond);
  const ProcessEntry entry = process.entry();
  ProcessReader reader(entry, RawSpan{10 * kSecond, 20 * kSecond}.options());
  SegmentChunk chunk;
  while (reader.next(&chunk)) {
  }

  EXPECT_TRUE(reader.ended());
  EXPECT_EQ(reader.ledger().losses.at(make_loss_key(1, 3, Call::Start, Loss::Memory)), 17u);
}

TEST(Span, GivesRecordsInOrderOfTimeAndNoOthers) {
  RoundedProcess process;
  for (uint64_t i = 0; i < 40; ++i) process.round(i, 1);
  process.end(40 * kSecond);
  const RawSpan span{20 * kSecond, 22 * kSecond + 100};
  const ProcessEntry entry = process.entry();
  ProcessRecords records(entry, span);

  std::vector<uint64_t> times;
  TimedRecord record;
  while (records.next(&record)) times.push_back(record.raw_ns);

  EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
  EXPECT_EQ(times, expected(entry, span).times);
}

}  // namespace
}  // namespace lockstep::dumper
