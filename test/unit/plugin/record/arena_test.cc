#include "plugin/record/arena.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <thread>
#include <vector>

#include "lockstep/kind_mask.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {
namespace {

constexpr size_t kCap = 4 << 20;

uint64_t file_bytes(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? static_cast<uint64_t>(info.st_blocks) * 512 : 0;
}

TEST(Arena, TakesMemoryForItsHeaderOnlyUntilBlocksAreReserved) {
  Arena arena;
  ASSERT_TRUE(arena.create({kCap, true, "/dev/shm"}).ok());
  if (arena.path().empty()) GTEST_SKIP() << "/dev/shm gives no file here: " << arena.notice();
  EXPECT_LE(file_bytes(arena.path()), kFirstBlockOffset);

  uint32_t first = 0;
  EXPECT_EQ(arena.reserve_stretch(8, &first), 8u);

  EXPECT_GE(file_bytes(arena.path()), 8 * kBlockBytes);
  EXPECT_TRUE(arena.is_reserved(first + 7));
  EXPECT_FALSE(arena.is_reserved(first + 8));
  arena.unlink_file();
}

TEST(Arena, GivesEveryBlockOnceAndNoneBeyondTheCap) {
  Arena arena;
  ASSERT_TRUE(arena.create({kCap, false, ""}).ok());
  std::vector<std::vector<BlockHeader*>> got(4);
  std::vector<std::thread> threads;
  for (auto& mine : got) {
    threads.emplace_back([&arena, &mine] {
      while (BlockHeader* block = arena.reserve_one()) mine.push_back(block);
    });
  }
  for (auto& thread : threads) thread.join();

  std::set<BlockHeader*> all;
  for (const auto& mine : got) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), arena.max_blocks());
  EXPECT_EQ(arena.reserve_one(), nullptr);
}

TEST(Arena, ReleasedMemoryGoesBackAndCanBeReservedAgain) {
  Arena arena;
  ASSERT_TRUE(arena.create({kCap, true, "/dev/shm"}).ok());
  if (arena.path().empty()) GTEST_SKIP() << "/dev/shm gives no file here: " << arena.notice();
  uint32_t first = 0;
  ASSERT_EQ(arena.reserve_stretch(arena.max_blocks(), &first), arena.max_blocks());
  const uint64_t full = file_bytes(arena.path());

  arena.release(arena.block(3));

  EXPECT_EQ(file_bytes(arena.path()), full - kBlockBytes);
  EXPECT_FALSE(arena.is_reserved(3));
  EXPECT_EQ(arena.reserve_one(), arena.block(3));
  arena.unlink_file();
}

TEST(Arena, SaysWhyWhenNoFileCanBeHadAndGoesOnWithoutCrashSafety) {
  Arena arena;
  ASSERT_TRUE(arena.create({kCap, true, "/no/such/folder"}).ok());
  EXPECT_EQ(arena.path(), "");
  EXPECT_NE(arena.notice().find("LOCKSTEP_SHM_DIR"), std::string::npos) << arena.notice();
  EXPECT_NE(arena.reserve_one(), nullptr);
}

TEST(Shedding, GivesUpTheLeastValuableKindsFirstAndOperationsNever) {
  auto shed = [](int32_t left, Kind kind) {
    return (Recorder::shed_kinds(left, 320) >> static_cast<unsigned>(kind) & 1u) != 0;
  };
  EXPECT_EQ(Recorder::shed_kinds(320, 320), 0u);
  EXPECT_EQ(Recorder::shed_kinds(160, 320), 0u);
  EXPECT_TRUE(shed(159, Kind::NetPlugin));
  EXPECT_FALSE(shed(159, Kind::ProxyCtrl));
  EXPECT_TRUE(shed(119, Kind::ProxyStep));
  EXPECT_FALSE(shed(119, Kind::ProxyOp));
  EXPECT_TRUE(shed(0, Kind::KernelCh));
  for (Kind kind : {Kind::GroupApi, Kind::KernelLaunch, Kind::Group}) {
    EXPECT_FALSE(shed(80, kind)) << kKindNames[static_cast<unsigned>(kind)];
    EXPECT_TRUE(shed(79, kind)) << kKindNames[static_cast<unsigned>(kind)];
  }
  for (Kind kind : {Kind::CollApi, Kind::P2pApi, Kind::Coll, Kind::P2p, Kind::CeColl}) {
    EXPECT_FALSE(shed(0, kind)) << kKindNames[static_cast<unsigned>(kind)];
  }
}

TEST(Shedding, BringsAClassBackOnlyWhenThereIsClearlyMoreRoomThanWhenItWent) {
  constexpr uint32_t kSteps = kind_bit(Kind::ProxyStep);
  EXPECT_EQ(Recorder::shed_kinds(140, 320) & kSteps, 0u);
  EXPECT_EQ(Recorder::shed_kinds(139, 320) & kSteps, kSteps);
  EXPECT_EQ(Recorder::shed_kinds(219, 320, kSteps) & kSteps, kSteps);
  EXPECT_EQ(Recorder::shed_kinds(220, 320, kSteps) & kSteps, 0u);
}

// The dump thread may get no processor for as long with few buffers as with many.
TEST(Shedding, LeavesOperationsFourMebibytesOrNearlyHalfOfASmallCap) {
  constexpr uint32_t kBrackets = kind_bit(Kind::GroupApi);
  const auto left_for_operations = [](int32_t max_blocks) {
    int32_t left = max_blocks;
    while ((Recorder::shed_kinds(left, max_blocks) & kBrackets) == 0) --left;
    return left + 1;
  };
  EXPECT_EQ(left_for_operations(64), 28);      // 4 MiB: 7 sixteenths
  EXPECT_EQ(left_for_operations(128), 56);     // 8 MiB: the same
  EXPECT_EQ(left_for_operations(192), 64);     // 12 MiB: 4 MiB
  EXPECT_EQ(left_for_operations(256), 64);     // 16 MiB: a quarter
  EXPECT_EQ(left_for_operations(4096), 1024);  // 256 MiB: likewise
  EXPECT_EQ(Recorder::shed_kinds(64, 64), 0u);
}

// The arithmetic of a storm: calls fill blocks, a writer empties them a chunk at a time and is
// slower than everything together, faster than operations alone.
TEST(Shedding, LetsOperationsOutliveStepsWhereverAWriterKeepsUpWithOperations) {
  constexpr int32_t kMax = 128, kChunkBlocks = 8;
  constexpr double kBlock = 65536;
  struct Part {
    Kind kind;
    double bytes;  // of one operation
  };
  const Part parts[] = {{Kind::GroupApi, 80}, {Kind::CollApi, 80},   {Kind::KernelLaunch, 56},
                        {Kind::Group, 48},    {Kind::Coll, 128},     {Kind::KernelCh, 176},
                        {Kind::ProxyOp, 80},  {Kind::ProxyStep, 480}};
  for (const double written_per_operation : {230.0, 300.0, 400.0, 600.0, 900.0}) {
    int32_t available = kMax;
    uint32_t shed = 0;
    double open = 0, written = 0;
    uint64_t lost = 0, steps_lost = 0;
    for (int operation = 0; operation < 200'000; ++operation) {
      for (const Part& part : parts) {
        const bool gone = (shed >> static_cast<unsigned>(part.kind) & 1u) != 0;
        steps_lost += part.kind == Kind::ProxyStep && gone;
        if (gone) continue;
        if (open < part.bytes) {
          if (available == 0) {
            lost += part.kind == Kind::Coll || part.kind == Kind::CollApi;
            continue;
          }
          shed = Recorder::shed_kinds(--available, kMax, shed);
          open = kBlock;
        }
        open -= part.bytes;
      }
      written += written_per_operation;
      if (written < kChunkBlocks * kBlock) continue;
      written = 0;
      for (int32_t i = 0; i < kChunkBlocks && available < kMax; ++i)
        shed = Recorder::shed_kinds(++available, kMax, shed);
    }
    EXPECT_EQ(lost, 0u) << written_per_operation;
    EXPECT_GT(steps_lost, 0u) << written_per_operation;
  }
}

}  // namespace
}  // namespace lockstep::plugin
