// What the writer does when the file system does not do its part.
#include "dumper/segment_writer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <functional>

#include "dumper/process_reader.h"
#include "test/unit/dumper/samples.h"

namespace lockstep::dumper {
namespace {

// Passes everything on, except what a test makes fail.
class FailingIo : public FileIo {
 public:
  int64_t write_at(int file, const void* bytes, size_t size, uint64_t offset) override {
    if (left >= 0 && static_cast<int64_t>(size) > left) {
      if (left == 0) return -error;
      const int64_t written = FileIo::write_at(file, bytes, static_cast<size_t>(left), offset);
      left = 0;
      return written;
    }
    if (left >= 0) left -= static_cast<int64_t>(size);
    const size_t step = most == 0 ? size : std::min(size, most);
    return FileIo::write_at(file, bytes, step, offset);
  }
  int sync(int file) override { return sync_error != 0 ? -sync_error : FileIo::sync(file); }
  int sync_error = 0;
  int64_t left = -1;  // bytes until the disk is full; -1 = room enough
  size_t most = 0;    // bytes a call writes at most
  int error = ENOSPC;
};

struct Found {
  uint64_t records = 0;
  Ledger ledger;
  uint64_t missing = 0;
  size_t damage = 0, segments = 0;
};
Found read_back(const std::string& directory) {
  Found found;
  const auto run = RunDirectory::open(directory);
  EXPECT_TRUE(run.ok()) << run.message();
  if (!run.ok()) return found;
  const ProcessEntry& process = run.value().processes.at(0);
  ProcessReader reader(process, {});
  SegmentChunk chunk;
  while (reader.next(&chunk)) found.records += chunk.header.records;
  found.ledger = reader.ledger();
  found.missing = reader.missing_chunks();
  found.damage = reader.damage().size();
  found.segments = process.segments.size();
  return found;
}

EncodedChunk sample_chunk(uint64_t sequence) {
  return encode({piece_of(random_records(100, sequence), 1, sequence)});
}

TEST(SegmentWriter, GoesOnAfterShortWrites) {
  const TempDirectory directory;
  FailingIo io;
  io.most = 7;
  SegmentWriter writer(sample_options(directory.path()), &io);
  EncodedChunk chunk = sample_chunk(1);

  EXPECT_TRUE(writer.append(&chunk).ok());

  EXPECT_EQ(read_back(directory.path()).records, 100u);
}

// One operation on each of `count` communicators.
std::vector<uint64_t> on_communicators(uint32_t first, uint32_t count) {
  std::vector<uint64_t> words;
  for (uint32_t comm = first; comm < first + count; ++comm) {
    words.push_back(make_word0(stop_tag(Kind::Coll), comm));
    words.push_back(make_event_id(Kind::Coll, comm, comm));
  }
  return words;
}

TEST(SegmentWriter, BeginsANewSegmentWhenItHasSeenManyCommunicators) {
  const TempDirectory directory;
  SegmentWriterOptions options = sample_options(directory.path());
  options.rotate_bytes = 1 << 20;
  SegmentWriter writer(options, system_file_io());
  for (uint32_t i = 0; i < 20; ++i) {
    EncodedChunk chunk = encode({piece_of(on_communicators(1 + i * 1000, 1000), 1, i + 1)});
    ASSERT_TRUE(writer.append(&chunk).ok());
  }

  const Found found = read_back(directory.path());
  EXPECT_EQ(found.records, 20'000u);
  EXPECT_EQ(found.missing, 0u);
  EXPECT_EQ(found.segments, 3u);
}

TEST(Counts, ComeBackAsTheyWerePacked) {
  Counts counts, again;
  std::mt19937_64 random(4);
  for (int i = 0; i < 5000; ++i) {
    counts.add(make_count_key(static_cast<uint32_t>(random() % (kLastComm + 1)),
                              static_cast<unsigned>(random() % (kKinds + 1)), Call::Stop),
               random() >> (random() % 64));
  }
  again.add_packed(counts.pack());

  EXPECT_TRUE(again == counts);
  EXPECT_TRUE(Counts().pack().empty());
}

TEST(SegmentWriter, CountsExactlyWhatARemovedFileHeldAlsoAfterManySegments) {
  const TempDirectory directory;
  SegmentWriterOptions options = sample_options(directory.path());
  options.rotate_bytes = 1 << 20;
  SegmentWriter writer(options, system_file_io());
  for (uint32_t i = 0; i < 20; ++i) {
    EncodedChunk chunk = encode({piece_of(on_communicators(1 + i * 1000, 1000), 1, i + 1)});
    ASSERT_TRUE(writer.append(&chunk).ok());
  }
  ASSERT_EQ(::unlink(writer.path().c_str()), 0);
  EncodedChunk chunk = encode({piece_of(on_communicators(1, 1), 1, 21)});
  ASSERT_TRUE(writer.append(&chunk).ok());

  const Found found = read_back(directory.path());
  uint64_t lost = 0;
  for (const auto& [key, count] : found.ledger.losses) lost += count;
  EXPECT_GT(lost, 0u);
  EXPECT_EQ(found.records + lost, 20'001u);
}

TEST(SegmentWriter, LeavesNothingHalfWrittenWhenTheDiskIsFullAndGoesOnWhenThereIsRoom) {
  for (const int error : {ENOSPC, EDQUOT, EIO, EFBIG}) {
    const TempDirectory directory;
    FailingIo io;
    io.error = error;
    SegmentWriter writer(sample_options(directory.path()), &io);
    EncodedChunk first = sample_chunk(1), second = sample_chunk(2);
    ASSERT_TRUE(writer.append(&first).ok());
    for (int64_t room = 0; room < 200; room += 13) {
      io.left = room;
      const Status status = writer.append(&second);
      ASSERT_FALSE(status.ok());
      EXPECT_NE(status.message().find(": cannot write: "), std::string::npos) << status.message();
      const Found found = read_back(directory.path());
      EXPECT_EQ(found.records, 100u);
      EXPECT_EQ(found.damage, 0u);
    }

    io.left = -1;
    EXPECT_TRUE(writer.append(&second).ok());
    const Found found = read_back(directory.path());
    EXPECT_EQ(found.records, 200u);
    EXPECT_EQ(found.missing, 0u);
  }
}

TEST(SegmentWriter, LeavesNoFileWhenNotEvenItsHeaderFits) {
  const TempDirectory directory;
  FailingIo io;
  io.left = 10;
  SegmentWriter writer(sample_options(directory.path()), &io);
  EncodedChunk chunk = sample_chunk(1);
  ASSERT_FALSE(writer.append(&chunk).ok());
  EXPECT_FALSE(RunDirectory::open(directory.path()).ok());

  io.left = -1;
  EXPECT_TRUE(writer.append(&chunk).ok());
  EXPECT_EQ(read_back(directory.path()).records, 100u);
}

TEST(SegmentWriter, MakesARemovedDirectoryAnewAndCountsWhatWentWithIt) {
  const TempDirectory directory;
  const std::string deep = directory.path() + "/a/b";
  SegmentWriter writer(sample_options(deep), system_file_io());
  EncodedChunk first = sample_chunk(1), second = sample_chunk(2);
  ASSERT_TRUE(writer.append(&first).ok());
  ASSERT_EQ(std::system(("rm -r '" + deep + "'").c_str()), 0);

  ASSERT_TRUE(writer.append(&second).ok());

  const Found found = read_back(deep);
  EXPECT_EQ(found.records, 100u);
  uint64_t lost = 0, kept = 0;
  for (const auto& [key, count] : found.ledger.losses)
    lost += loss_why(key) == Loss::Disk ? count : 0;
  for (const auto& [key, count] : first.kept.sorted()) kept += count;
  EXPECT_EQ(lost, kept);
}

TEST(SegmentWriter, CountsEverySegmentThatWentWithTheDirectory) {
  const TempDirectory directory;
  const std::string deep = directory.path() + "/run";
  SegmentWriterOptions options = sample_options(deep);
  options.rotate_bytes = 64 * 1024;
  SegmentWriter writer(options, system_file_io());
  uint64_t kept = 0;
  for (uint64_t i = 1; i <= 60; ++i) {
    EncodedChunk chunk = sample_chunk(i);
    ASSERT_TRUE(writer.append(&chunk).ok());
    for (const auto& [key, count] : chunk.kept.sorted()) kept += count;
  }
  ASSERT_GT(read_back(deep).segments, 1u);
  ASSERT_EQ(std::system(("rm -r '" + deep + "'").c_str()), 0);

  EncodedChunk last = sample_chunk(61);
  ASSERT_TRUE(writer.append(&last).ok());

  uint64_t lost = 0;
  for (const auto& [key, count] : read_back(deep).ledger.losses)
    lost += loss_why(key) == Loss::Disk ? count : 0;
  EXPECT_EQ(lost, kept);
}

TEST(SegmentWriter, LeavesEarlierSegmentsReadableWhenOnlyTheOpenOneIsRemoved) {
  const TempDirectory directory;
  SegmentWriterOptions options = sample_options(directory.path());
  options.rotate_bytes = 64 * 1024;
  SegmentWriter writer(options, system_file_io());
  for (uint64_t i = 1; i <= 60; ++i) {
    EncodedChunk chunk = sample_chunk(i);
    ASSERT_TRUE(writer.append(&chunk).ok());
  }
  const uint64_t before = read_back(directory.path()).records;
  ASSERT_EQ(::unlink(writer.path().c_str()), 0);
  const uint64_t earlier = read_back(directory.path()).records;
  ASSERT_LT(earlier, before);

  EncodedChunk last = sample_chunk(61);
  ASSERT_TRUE(writer.append(&last).ok());

  EXPECT_EQ(read_back(directory.path()).records, earlier + 100);
}

TEST(SegmentWriter, WritesAChunkOnceAndSaysThatItCouldNotBeForcedToTheDisk) {
  for (const SyncMode mode : {SyncMode::Chunk, SyncMode::Interval}) {
    const TempDirectory directory;
    FailingIo io;
    io.sync_error = EIO;
    SegmentWriterOptions options = sample_options(directory.path());
    options.sync = mode;
    SegmentWriter writer(options, &io);
    EncodedChunk chunk = sample_chunk(1);

    EXPECT_TRUE(writer.append(&chunk).ok());

    const Status synced = writer.sync();
    ASSERT_FALSE(synced.ok());
    EXPECT_NE(synced.message().find(": cannot sync: "), std::string::npos) << synced.message();
    EXPECT_EQ(read_back(directory.path()).records, 100u);
    EXPECT_EQ(read_back(directory.path()).missing, 0u);
  }
}

TEST(SegmentWriter, RotatesAndLosesNothing) {
  const TempDirectory directory;
  SegmentWriterOptions options = sample_options(directory.path());
  options.rotate_bytes = 64 * 1024;
  SegmentWriter writer(options, system_file_io());
  for (uint64_t i = 1; i <= 120; ++i) {
    EncodedChunk chunk = sample_chunk(i);
    ASSERT_TRUE(writer.append(&chunk).ok());
  }

  const Found found = read_back(directory.path());
  EXPECT_EQ(found.records, 12'000u);
  EXPECT_EQ(found.missing, 0u);
  EXPECT_GT(found.segments, 2u);
}

TEST(SegmentWriter, StaysWithinTheDiskBudgetAndCountsExactlyWhatItDeleted) {
  const TempDirectory directory;
  SegmentWriterOptions options = sample_options(directory.path());
  options.max_disk_bytes = 300 * 1024;
  SegmentWriter writer(options, system_file_io());
  Counts all;
  for (uint64_t i = 1; i <= 200; ++i) {
    EncodedChunk chunk = sample_chunk(i);
    ASSERT_TRUE(writer.append(&chunk).ok());
    all.add(chunk.kept);
    ASSERT_LE(writer.bytes_on_disk(), options.max_disk_bytes);
  }

  EXPECT_GT(writer.segments_deleted(), 0u);
  const auto run = RunDirectory::open(directory.path());
  ProcessReader reader(run.value().processes.at(0), {});
  SegmentChunk chunk;
  Counts there;
  while (reader.next(&chunk)) {
    if (chunk.type == ChunkType::Records) there.add(chunk.records.kept);
  }
  for (const auto& [key, count] : reader.ledger().losses) {
    ASSERT_EQ(loss_why(key), Loss::Disk);
    there.add(make_count_key(loss_comm(key), loss_kind(key), loss_call(key)), count);
  }
  EXPECT_EQ(there, all);
  EXPECT_EQ(reader.missing_chunks(), 0u);
}

TEST(SegmentWriter, KeepsFilesToItsOwner) {
  const TempDirectory directory;
  SegmentWriter writer(sample_options(directory.path() + "/run"), system_file_io());
  EncodedChunk chunk = sample_chunk(1);
  ASSERT_TRUE(writer.append(&chunk).ok());

  struct stat facts;
  ASSERT_EQ(::stat(writer.path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
  ASSERT_EQ(::stat((directory.path() + "/run").c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
}

TEST(SegmentWriter, TakesTheNextNameWhenOneIsTaken) {
  const TempDirectory directory;
  EncodedChunk chunk = sample_chunk(1);
  SegmentWriter first(sample_options(directory.path()), system_file_io());
  SegmentWriter second(sample_options(directory.path()), system_file_io());
  ASSERT_TRUE(first.append(&chunk).ok());
  ASSERT_TRUE(second.append(&chunk).ok());

  EXPECT_NE(first.path(), second.path());
}

TEST(Ledger, ComesBackAsItWas) {
  Ledger ledger;
  ledger.raw_ns = 5;
  ledger.add_loss(7, 4, Call::State, Loss::Folded, 1'000'000'000'000);
  ledger.add_loss(0, kUnknownKind, Call::Start, Loss::Unknown, 3);
  ledger.calls_without_block[call_cell(2, Call::Stop)] = 9;
  ledger.in_progress[call_cell(1, Call::Start)] = 1;
  ledger.first_segment = 4;
  ledger.notes = {"a \"note\""};

  const auto back = ledger_from_json(ledger_to_json(ledger));

  ASSERT_TRUE(back.ok()) << back.message();
  EXPECT_EQ(back.value().losses, ledger.losses);
  EXPECT_EQ(back.value().calls_without_block, ledger.calls_without_block);
  EXPECT_EQ(back.value().in_progress, ledger.in_progress);
  EXPECT_EQ(back.value().first_segment, 4u);
  EXPECT_EQ(back.value().notes, ledger.notes);
}

TEST(Ledger, RefusesWhatIsNoLedger) {
  for (const char* wrong :
       {"", "[]", "{\"losses\":3}", "{\"losses\":[[1,\"Coll\",\"starts\",\"memory\"]]}",
        "{\"losses\":[[1,\"Call\",\"starts\",\"memory\",1]]}",
        "{\"in_progress\":{\"Coll\":[1]}}"}) {
    EXPECT_FALSE(ledger_from_json(wrong).ok()) << wrong;
  }
}

TEST(ChunkClock, ConvertsPiecewiseBetweenAnchors) {
  const Anchor anchors[] = {{0, 1000, 5000, 0}, {100, 1050, 5050, 0}, {200, 1250, 4250, 0}};
  const ChunkClock clock(anchors, 3);

  EXPECT_EQ(clock.raw_ns(0), 1000u);
  EXPECT_EQ(clock.raw_ns(50), 1025u);
  EXPECT_EQ(clock.raw_ns(150), 1150u);
  EXPECT_EQ(clock.raw_ns(300), 1450u);   // the last stretch goes on
  EXPECT_EQ(clock.real_ns(150), 4650u);  // REALTIME was set back
}

TEST(ChunkClock, TakesTicksForNanosecondsWithOneAnchor) {
  const Anchor anchor{10, 1000, 5000, 0};

  EXPECT_EQ(ChunkClock(&anchor, 1).raw_ns(15), 1005u);
  EXPECT_EQ(ChunkClock(&anchor, 1).raw_ns(5), 995u);
}

TEST(ChunkClock, SurvivesAnchorsThatMakeNoSense) {
  const Anchor anchors[] = {
      {5, ~uint64_t{0}, 0, 0}, {5, 1, 1, 1}, {6, ~uint64_t{0} - 1, 0, 0}, {~uint64_t{0}, 7, 7, 7}};
  const ChunkClock clock(anchors, 4);
  for (uint64_t ticks : {uint64_t{0}, uint64_t{5}, uint64_t{1} << 55, ~uint64_t{0} >> 8})
    clock.raw_ns(ticks);
}

}  // namespace
}  // namespace lockstep::dumper
