// Every record is on the host's clock however many chunks a round takes, though each anchor errs a little.
#include <cstdlib>

#include "dumper/drain/dump_thread.h"
#include "dumper/run/process_reader.h"
#include "test/unit/dumper/drain/handmade_blocks.h"

namespace lockstep::dumper {
namespace {

constexpr int64_t kErrorNs = 100;
constexpr uint64_t kBeginNs = 5'000;  // at tick 0, a tick being a nanosecond

class KnownAnchors : public HandmadeBlocks {
 public:
  KnownAnchors(uint64_t first_ticks, uint64_t between_ticks)
      : HandmadeBlocks(64), first_ticks_(first_ticks), between_ticks_(between_ticks) {
    arena()->max_blocks = 64;  // so that a block is a chunk
    arena()->anchors[0] = at(0);
  }
  Anchor anchor_now() override { return at(first_ticks_ + looks_++ * between_ticks_); }

 private:
  Anchor at(uint64_t ticks) const {
    const auto raw_ns = static_cast<uint64_t>(static_cast<int64_t>(kBeginNs + ticks) +
                                              (looks_ % 2 == 0 ? kErrorNs : -kErrorNs));
    return {ticks, raw_ns, raw_ns, raw_ns};
  }
  const uint64_t first_ticks_, between_ticks_;
  uint64_t looks_ = 0;
};

struct ClockReadBack {
  size_t chunks = 0, most_anchors = 0;
  int64_t largest_error_ns = 0;
};

ClockReadBack clock_read_back(const std::string& directory) {
  ClockReadBack read;
  const auto run = RunDirectory::open(directory);
  EXPECT_TRUE(run.ok()) << run.message();
  if (!run.ok()) return read;
  ProcessReader reader(run.value().processes.at(0), {});
  SegmentChunk chunk;
  while (reader.next(&chunk)) {
    if (chunk.type != ChunkType::Records) continue;
    ++read.chunks;
    read.most_anchors = std::max(read.most_anchors, chunk.records.clock.anchors().size());
    for (size_t at = 0; at < chunk.records.words.size(); at += 2) {
      const uint64_t ticks = ticks_of(chunk.records.words[at]);
      const auto error_ns =
          static_cast<int64_t>(chunk.records.clock.raw_ns(ticks) - (kBeginNs + ticks));
      read.largest_error_ns = std::max<int64_t>(read.largest_error_ns, std::llabs(error_ns));
    }
  }
  return read;
}

DumpOptions options_in(const TempDir& directory) {
  DumpOptions options;
  options.segments = sample_options(directory.path());
  return options;
}

TEST(ChunkAnchors, AreThoseOfTheRecordsInEveryChunkOfARound) {
  const TempDir directory;
  KnownAnchors blocks(2'000'000'000, 400'000);  // in quick succession, long after the records
  for (int i = 0; i < 8; ++i) blocks.fill(4000);
  DumpThread dump(
      blocks, options_in(directory), [](void*, const std::string&) {}, nullptr);

  dump.finish();

  EXPECT_EQ(dump.close(), "");
  const ClockReadBack read = clock_read_back(directory.path());
  EXPECT_GE(read.chunks, 4u);
  EXPECT_LE(read.largest_error_ns, kErrorNs + 1);
}

TEST(ChunkAnchors, AreForgottenWhenNoRecordCanBeAsOld) {
  const TempDir directory;
  KnownAnchors blocks(10'000, 2'500);  // a round has four, and a block of its time
  DumpThread dump(
      blocks, options_in(directory), [](void*, const std::string&) {}, nullptr);

  for (int round = 0; round < 40; ++round) {
    blocks.fill(100);
    dump.finish();
  }

  EXPECT_EQ(dump.close(), "");
  const ClockReadBack read = clock_read_back(directory.path());
  EXPECT_EQ(read.chunks, 40u);
  EXPECT_LE(read.most_anchors, 8u);
}

}  // namespace
}  // namespace lockstep::dumper
