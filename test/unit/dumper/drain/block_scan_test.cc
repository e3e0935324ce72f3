#include "dumper/drain/block_scan.h"

#include <malloc.h>

#include "dumper/drain/dump_thread.h"
#include "dumper/run/process_reader.h"
#include "test/unit/dumper/drain/handmade_blocks.h"

namespace lockstep::dumper {
namespace {

// A block is opened and filled each time that one is taken, by a thread as fast as the dump thread.
class BusyBlocks : public HandmadeBlocks {
 public:
  explicit BusyBlocks(uint32_t blocks) : HandmadeBlocks(blocks), left_(blocks) {}
  void fill_before(uint32_t blocks) {
    for (; blocks > 0; --blocks) fill_one();
  }
  BlockHeader* next_full() override {
    if (left_ > 0) fill_one();
    return HandmadeBlocks::next_full();
  }

 private:
  void fill_one() {
    fill(10);
    --left_;
  }
  uint32_t left_;
};

// The thread closes its first block while the second is looked at.
class ClosesTheFirst : public HandmadeBlocks {
 public:
  using HandmadeBlocks::HandmadeBlocks;
  BlockHeader* block(uint32_t index) override {
    if (index == 1) HandmadeBlocks::block(0)->closed = kClosed;
    return HandmadeBlocks::block(index);
  }
};

struct Told {
  uint64_t records = 0, calls = 0;
};

Told told_in(const std::string& directory) {
  Told told;
  const auto run = RunDirectory::open(directory);
  if (!run.ok()) return told;
  ProcessReader reader(run.value().processes.at(0), {});
  SegmentChunk chunk;
  while (reader.next(&chunk)) {
    if (chunk.type != ChunkType::Records) continue;
    told.records += chunk.header.records;
    for (uint64_t calls : chunk.records.calls) told.calls += calls;
  }
  return told;
}

TEST(BlockScan, ExpectsTheFullBlocksItFindsAndNoOthers) {
  HandmadeBlocks blocks(3);
  blocks.fill(10);
  blocks.fill(10);
  BlockScan scan(4096);
  scan.look(blocks);
  EXPECT_FALSE(scan.all_came());
  blocks.fill(10);
  scan.came(2);
  scan.came(1);
  scan.came(1);
  EXPECT_FALSE(scan.all_came());
  scan.came(0);
  EXPECT_TRUE(scan.all_came());
}

TEST(BlockScan, ListsOpenBlocksWithWhatTheyHoldNow) {
  HandmadeBlocks blocks(2);
  blocks.fill(10);
  blocks.fill(20);
  blocks.block(1)->closed = 0;
  BlockScan scan(4096);
  scan.look(blocks);
  ASSERT_EQ(scan.open().size(), 1u);
  EXPECT_EQ(scan.open()[0].block, blocks.block(1));
  EXPECT_EQ(scan.open()[0].sequence, 2u);
  EXPECT_EQ(scan.open()[0].published, pack_published(20, 320));
  EXPECT_FALSE(scan.open()[0].unqueued);
}

// A thread closes the first block and opens the second while the look goes on: both are found open.
TEST(BlockScan, ExpectsABlockThatIsClosedWhileItLooks) {
  ClosesTheFirst blocks(2);
  blocks.fill(10);
  blocks.fill(20);
  blocks.HandmadeBlocks::block(0)->closed = 0;
  blocks.HandmadeBlocks::block(1)->closed = 0;
  BlockScan scan(4096);
  scan.look(blocks);
  EXPECT_EQ(scan.open().size(), 2u);
  EXPECT_FALSE(scan.all_came());
  scan.came(0);
  EXPECT_TRUE(scan.all_came());
}

TEST(BlockScan, ABlockThatNoQueueTookIsListedAmongTheOpenOnes) {
  HandmadeBlocks blocks(1);
  blocks.fill(10);
  blocks.block(0)->closed = kClosedUnqueued;
  BlockScan scan(4096);
  scan.look(blocks);
  ASSERT_EQ(scan.open().size(), 1u);
  EXPECT_TRUE(scan.open()[0].unqueued);
  EXPECT_TRUE(scan.all_came());
}

// A thread closes the block, with nothing more to write, after the look has found it open and whole.
TEST(LastRound, TellsTheCallsOfABlockOnceThatWasFoundOpenAndCameAsFull) {
  ClosesTheFirst blocks(2);
  blocks.fill(10);
  blocks.HandmadeBlocks::block(0)->closed = 0;
  const TempDir directory;
  DumpOptions options;
  options.segments = sample_options(directory.path());
  DumpThread dump(
      blocks, options, [](void*, const std::string&) {}, nullptr);

  dump.finish();
  dump.close();

  const Told told = told_in(directory.path());
  EXPECT_EQ(told.records, 10u);
  EXPECT_EQ(told.calls, 10u);
}

// Else a process whose threads go on calling would end as late as they let it.
TEST(LastRound, TakesWhatWasRecordedWhenItBeganHoweverFastThreadsCall) {
  const TempDir directory;
  BusyBlocks blocks(64);
  blocks.fill_before(5);
  DumpOptions options;
  options.segments = sample_options(directory.path());
  DumpThread dump(
      blocks, options, [](void*, const std::string&) {}, nullptr);

  dump.finish();

  EXPECT_EQ(blocks.recycled, 5u);
  EXPECT_EQ(dump.records_written(), 50u);
}

#if __GLIBC_PREREQ(2, 33)  // mallinfo2
// A process may live on for days after its last communicator. (Sanitizers' allocators count nothing here.)
TEST(LastRound, KeepsNoMemoryForAnotherChunk) {
  const TempDir directory;
  HandmadeBlocks blocks(16);
  for (unsigned i = 0; i < 16; ++i) blocks.fill(4000);
  DumpOptions options;
  options.segments = sample_options(directory.path());
  DumpThread dump(
      blocks, options, [](void*, const std::string&) {}, nullptr);
  const auto used = [] {
    const struct mallinfo2 heap = mallinfo2();
    return heap.uordblks + heap.hblkhd;
  };
  const size_t before = used();

  dump.finish();

  EXPECT_EQ(dump.records_written(), 64000u);
  EXPECT_LT(used(), before + (size_t{1} << 20));
}
#endif

}  // namespace
}  // namespace lockstep::dumper
