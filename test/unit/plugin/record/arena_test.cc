#include "plugin/record/arena.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>
#include <thread>
#include <vector>

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
    return (Recorder::shed_kinds(left, 160) >> static_cast<unsigned>(kind) & 1u) != 0;
  };
  EXPECT_EQ(Recorder::shed_kinds(160, 160), 0u);
  EXPECT_EQ(Recorder::shed_kinds(80, 160), 0u);
  EXPECT_TRUE(shed(79, Kind::NetPlugin));
  EXPECT_FALSE(shed(79, Kind::ProxyCtrl));
  EXPECT_TRUE(shed(59, Kind::ProxyStep));
  EXPECT_FALSE(shed(59, Kind::ProxyOp));
  EXPECT_TRUE(shed(0, Kind::KernelCh));
  for (Kind kind : {Kind::GroupApi, Kind::CollApi, Kind::P2pApi, Kind::KernelLaunch, Kind::Group,
                    Kind::Coll, Kind::P2p, Kind::CeColl}) {
    EXPECT_FALSE(shed(0, kind)) << kKindNames[static_cast<unsigned>(kind)];
  }
}

}  // namespace
}  // namespace lockstep::plugin
