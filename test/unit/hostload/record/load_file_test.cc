#include "hostload/record/load_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "hostload/record/load_chunk.h"

namespace lockstep::hostload {
namespace {

class LoadFile : public testing::Test {
 protected:
  void SetUp() override { directory_ = mkdtemp(name_); }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  std::string path() const { return directory_ + "/node1.load"; }
  void write(LoadChunk chunk) {
    Result<LoadWriter> writer = LoadWriter::open(directory_, "node1");
    ASSERT_TRUE(writer.ok()) << writer.message();
    ASSERT_TRUE(writer.value().append(&chunk).ok());
  }
  std::vector<LoadChunk> read(std::vector<dumper::Damage>* damage) const {
    Result<LoadReader> reader = LoadReader::open(path());
    EXPECT_TRUE(reader.ok()) << reader.message();
    std::vector<LoadChunk> chunks;
    LoadChunk chunk;
    while (reader.value().next(&chunk)) chunks.push_back(chunk);
    *damage = reader.value().damage();
    return chunks;
  }

  std::string directory_;

 private:
  char name_[32] = "/tmp/lockstep-load-XXXXXX";
};

LoadChunk some_chunk(int64_t raw_ns) {
  LoadChunk chunk;
  chunk.host = "node1";
  chunk.boot_id = "b0-07";
  chunk.clock_namespace = "time:[4026531834]";
  chunk.threads = {{~uint64_t{0}, 10, 11, "NCCL Progress"}, {7, 20, 20, "python"}};
  chunk.cgroups = {"", "/job \"x\""};
  chunk.counters = {{"eth0", 0, "rx_errors"}, {"mlx5_0", 1, "symbol_error"}};
  for (int64_t tick = 0; tick < 3; ++tick) {
    for (int64_t thread = 0; thread < 2; ++thread)
      chunk.thread_times.push_back({thread, raw_ns + tick * 100, 1000 * tick, 10 + thread, tick});
  }
  chunk.thread_events = {{1, raw_ns, 5, 6, 7, 8, 1, 2}};
  HostLoad load;
  load.cgroup = 1;
  load.raw_ns = raw_ns;
  load.throttled_ns = INT64_MAX;
  chunk.host_loads = {load};
  chunk.counter_values = {{1, raw_ns, 9}};
  return chunk;
}

TEST_F(LoadFile, GivesBackWhatWasWrittenSortedByThread) {
  write(some_chunk(5000));
  std::vector<dumper::Damage> damage;
  const std::vector<LoadChunk> chunks = read(&damage);
  ASSERT_EQ(chunks.size(), 1u);
  EXPECT_TRUE(damage.empty());
  const LoadChunk& chunk = chunks[0];
  EXPECT_EQ(chunk.host, "node1");
  EXPECT_EQ(chunk.boot_id, "b0-07");
  EXPECT_EQ(chunk.clock_namespace, "time:[4026531834]");
  ASSERT_EQ(chunk.threads.size(), 2u);
  EXPECT_EQ(chunk.threads[0].process_uid, ~uint64_t{0});
  EXPECT_EQ(chunk.threads[0].tid, 11u);
  EXPECT_EQ(chunk.threads[0].name, "NCCL Progress");
  ASSERT_EQ(chunk.thread_times.size(), 6u);
  EXPECT_EQ(chunk.thread_times[2].thread, 0);
  EXPECT_EQ(chunk.thread_times[2].raw_ns, 5200);
  EXPECT_EQ(chunk.thread_times[5].thread, 1);
  EXPECT_EQ(chunk.thread_times[5].run_ns, 2000);
  EXPECT_EQ(chunk.thread_times[5].wait_ns, 11);
  ASSERT_EQ(chunk.thread_events.size(), 1u);
  EXPECT_EQ(chunk.thread_events[0].processors_allowed, 2);
  ASSERT_EQ(chunk.host_loads.size(), 1u);
  EXPECT_EQ(chunk.host_loads[0].throttled_ns, INT64_MAX);
  EXPECT_EQ(chunk.host_loads[0].runnable, kNotSampled);
  EXPECT_EQ(chunk.cgroups[1], "/job \"x\"");
  ASSERT_EQ(chunk.counter_values.size(), 1u);
  EXPECT_EQ(chunk.counters[1].port, 1u);
}

TEST_F(LoadFile, IsPrivateToItsUser) {
  write(some_chunk(1));
  struct stat facts {};
  ASSERT_EQ(stat(path().c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0600u);
}

TEST_F(LoadFile, GoesOnWhereAKilledWriterStoppedInsideAChunk) {
  write(some_chunk(1));
  const auto whole = std::filesystem::file_size(path());
  write(some_chunk(2));
  std::filesystem::resize_file(path(), whole + 60);
  std::vector<dumper::Damage> damage;
  EXPECT_EQ(read(&damage).size(), 1u);
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_TRUE(damage[0].torn_tail);

  write(some_chunk(3));
  const std::vector<LoadChunk> chunks = read(&damage);
  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_EQ(chunks[1].thread_times[0].raw_ns, 3);
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(damage[0].offset, whole);
  EXPECT_EQ(damage[0].bytes, 60u);
}

TEST_F(LoadFile, LosesOnlyTheChunkInWhichABitFlipped) {
  write(some_chunk(1));
  const auto second = std::filesystem::file_size(path());
  write(some_chunk(2));
  write(some_chunk(3));
  std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(second) + 70);
  file.put('\xff');
  file.close();
  std::vector<dumper::Damage> damage;
  const std::vector<LoadChunk> chunks = read(&damage);
  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_EQ(chunks[1].thread_times[0].raw_ns, 3);
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_FALSE(damage[0].torn_tail);
}

TEST_F(LoadFile, IsReadWhileItGrows) {
  Result<LoadWriter> writer = LoadWriter::open(directory_, "node1");
  ASSERT_TRUE(writer.ok());
  std::vector<dumper::Damage> damage;
  for (size_t chunks = 1; chunks <= 3; ++chunks) {
    LoadChunk chunk = some_chunk(static_cast<int64_t>(chunks));
    ASSERT_TRUE(writer.value().append(&chunk).ok());
    EXPECT_EQ(read(&damage).size(), chunks);
  }
}

TEST_F(LoadFile, IsNotWrittenThroughALink) {
  std::filesystem::create_symlink("/dev/null", path());
  const Result<LoadWriter> writer = LoadWriter::open(directory_, "node1");
  ASSERT_FALSE(writer.ok());
  EXPECT_NE(writer.message().find(path()), std::string::npos);
}

TEST(LoadChunkBytes, ThatEndAnywhereAreAnErrorOrFewerRows) {
  LoadChunk chunk = some_chunk(1);
  const std::string bytes = encode_load(&chunk);
  for (size_t size = 0; size < bytes.size(); ++size) {
    const auto decoded = decode_load(std::string_view(bytes).substr(0, size));
    const size_t rows = decoded.ok() ? decoded.value().thread_times.size() : 0;
    EXPECT_LE(rows, chunk.thread_times.size());
  }
}

TEST(LoadChunkBytes, OfANewerVersionAreReadAsFarAsTheyAreKnown) {
  LoadChunk chunk = some_chunk(1);
  std::string bytes = encode_load(&chunk);
  bytes += std::string("\x7f\x02hi", 4);  // section 127 of two bytes
  // counter_values (19): four columns where we know three, one row, of counter 1.
  bytes += std::string("\x13\x06\x04\x01\x02\x02\x02\x02", 8);
  const auto decoded = decode_load(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.message();
  ASSERT_EQ(decoded.value().counter_values.size(), 1u);
  EXPECT_EQ(decoded.value().counter_values[0].value, 1);
}

TEST(LoadChunkBytes, WhoseRowsNameNothingAreRefused) {
  LoadChunk chunk;
  chunk.counter_values = {{0, 1, 1}};
  const auto decoded = decode_load(encode_load(&chunk));
  ASSERT_FALSE(decoded.ok());
}

TEST(LoadChunkBytes, ThatClaimMoreRowsThanBytesAreRefused) {
  // thread_times (16): 5 columns, 2^28 rows.
  EXPECT_FALSE(decode_load(std::string("\x10\x06\x05\x80\x80\x80\x80\x01", 8)).ok());
}

}  // namespace
}  // namespace lockstep::hostload
