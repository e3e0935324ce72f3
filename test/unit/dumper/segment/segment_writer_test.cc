// What the writer does when the file system does not do its part.
#include "dumper/segment/segment_writer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "dumper/run/process_reader.h"
#include "test/unit/dumper/segment/failing_io.h"
#include "test/unit/dumper/segment/samples.h"

namespace lockstep::dumper {
namespace {

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
  const TempDir directory;
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
  const TempDir directory;
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

TEST(SegmentWriter, CountsExactlyWhatARemovedFileHeldAlsoAfterManySegments) {
  const TempDir directory;
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
    const TempDir directory;
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
  const TempDir directory;
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
  const TempDir directory;
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
  const TempDir directory;
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
  const TempDir directory;
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
    const TempDir directory;
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
  const TempDir directory;
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

// Whoever has only a later segment learns of the capture that it is part of.
TEST(SegmentWriter, RepeatsTheNotesInEachSegmentThatBeginsLater) {
  const TempDir directory;
  SegmentWriterOptions options = sample_options(directory.path());
  options.rotate_bytes = 64 * 1024;
  SegmentWriter writer(options, system_file_io());
  Ledger ledger;
  ledger.notes = {"capture c1 started"};
  ASSERT_TRUE(writer.append_ledger(ledger).ok());
  for (uint64_t i = 1; i <= 120; ++i) {
    EncodedChunk chunk = sample_chunk(i);
    ASSERT_TRUE(writer.append(&chunk).ok());
  }
  writer.close();

  const auto run = RunDirectory::open(directory.path());
  ASSERT_TRUE(run.ok());
  const ProcessEntry process = run.value().processes.at(0);
  ASSERT_GT(process.segments.size(), 2u);
  for (size_t i = 0; i + 1 < process.segments.size(); ++i) unlink(process.segments[i].path.c_str());
  EXPECT_EQ(read_back(directory.path()).ledger.notes, ledger.notes);
}

TEST(SegmentWriter, StaysWithinTheDiskBudgetAndCountsExactlyWhatItDeleted) {
  const TempDir directory;
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
  const TempDir directory;
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
  const TempDir directory;
  EncodedChunk chunk = sample_chunk(1);
  SegmentWriter first(sample_options(directory.path()), system_file_io());
  SegmentWriter second(sample_options(directory.path()), system_file_io());
  ASSERT_TRUE(first.append(&chunk).ok());
  ASSERT_TRUE(second.append(&chunk).ok());

  EXPECT_NE(first.path(), second.path());
}

}  // namespace
}  // namespace lockstep::dumper
