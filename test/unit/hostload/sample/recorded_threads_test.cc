#include "hostload/sample/recorded_threads.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "test/unit/hostload/sample/fake_root.h"
#include "test/unit/hostload/sample/memory_file.h"

namespace lockstep::hostload {
namespace {

class RecordedThreadsTest : public testing::Test {
 protected:
  RecordedThreadsTest() {
    root_.put("/proc/sys/kernel/random/boot_id", "boot-1\n");
    run_process(77, 500);
    std::filesystem::create_directories(shm());
  }
  std::string shm() const { return root_.path() + "/shm"; }
  void run_process(uint32_t pid, uint64_t start) const {
    root_.put("/proc/" + std::to_string(pid) + "/stat",
              std::to_string(pid) + " (x) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 " +
                  std::to_string(start) + " 0\n");
  }
  MemoryFile memory_of(const std::string& name, uint32_t pid, uint64_t start) const {
    MemoryFile memory(shm(), name);
    memory.header()->pid = pid;
    memory.header()->process_start = start;
    memory.header()->process_uid = 1000 + pid;
    return memory;
  }
  RecordedThreadsOptions options() const { return {root_.path(), {shm()}, "/run"}; }
  static std::set<uint32_t> tids(RecordedThreads* threads) {
    std::vector<LoadThread> found;
    threads->look(&found);
    std::set<uint32_t> all;
    for (const LoadThread& thread : found) all.insert(thread.tid);
    return all;
  }
  using Tids = std::set<uint32_t>;

  FakeRoot root_;
};

TEST_F(RecordedThreadsTest, AreThoseWithABlock) {
  const MemoryFile memory = memory_of("a", 77, 500);
  memory.write();
  memory.put_block(0, 77, "python");
  memory.put_block(1, 78, "NCCL Progress 12");
  memory.put_block(2, 79, "gone", 0);
  memory.put_block(9, 77, "python");
  RecordedThreads threads(options());
  std::vector<LoadThread> found;
  threads.look(&found);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].process_uid, 1077u);
  EXPECT_EQ(found[0].pid, 77u);
  EXPECT_EQ(found[1].tid, 78u);
  EXPECT_EQ(found[1].name, "NCCL Progress 12");
}

TEST_F(RecordedThreadsTest, OfAnotherRunBootOrDeadProcessAreLeftOut) {
  MemoryFile other_run = memory_of("a", 77, 500), other_boot = memory_of("b", 77, 500);
  MemoryFile reused_pid = memory_of("c", 77, 499), gone = memory_of("d", 88, 500);
  MemoryFile newer = memory_of("e", 77, 500);
  std::strcpy(other_run.header()->run_dir, "/run2");
  std::strcpy(other_boot.header()->boot_id, "boot-0");
  newer.header()->version = 2;
  for (MemoryFile* memory : {&other_run, &other_boot, &reused_pid, &gone, &newer}) {
    memory->write();
    memory->put_block(0, 77, "x");
  }
  RecordedThreads threads(options());
  EXPECT_EQ(tids(&threads), Tids());
}

TEST_F(RecordedThreadsTest, OfAProcessThatJoinsAreFoundTheNextTime) {
  RecordedThreads threads(options());
  EXPECT_EQ(tids(&threads), Tids());
  MemoryFile memory = memory_of("a", 77, 500);
  std::strcpy(memory.header()->run_dir, "");  // is being made
  memory.write();
  EXPECT_EQ(tids(&threads), Tids());
  std::strcpy(memory.header()->run_dir, "/run");
  memory.write();
  memory.put_block(0, 77, "x");
  EXPECT_EQ(tids(&threads), Tids({77}));
}

TEST_F(RecordedThreadsTest, OfAProcessThatEndedAreForgotten) {
  const MemoryFile ends = memory_of("a", 77, 500), killed = memory_of("b", 88, 600);
  run_process(88, 600);
  for (const MemoryFile* memory : {&ends, &killed}) memory->write();
  ends.put_block(0, 77, "x");
  killed.put_block(0, 88, "y");
  RecordedThreads threads(options());
  EXPECT_EQ(tids(&threads), Tids({77, 88}));
  unlink(ends.path().c_str());
  std::filesystem::remove_all(root_.path() + "/proc/88");
  EXPECT_EQ(tids(&threads), Tids());
}

TEST_F(RecordedThreadsTest, InAnyBlockAreFoundAtOnceAndLaterAfterAFewLooks) {
  const MemoryFile memory = memory_of("a", 77, 500);
  memory.write();
  for (uint32_t block = 0; block < 150; ++block) memory.put_block(block, 100 + block, "x");
  RecordedThreads threads(options());
  EXPECT_EQ(tids(&threads).size(), 150u);
  for (int look = 0; look < 20; ++look) tids(&threads);
  EXPECT_EQ(tids(&threads).size(), 16u);
  Tids all;
  for (int look = 0; look < 10; ++look) all.merge(tids(&threads));
  EXPECT_EQ(all.size(), 150u);
}

TEST_F(RecordedThreadsTest, OfHostileFilesAreNone) {
  std::ofstream(shm() + "/lockstep-" + std::to_string(geteuid()) + "-short.blocks") << "LOCKARA1";
  std::filesystem::create_symlink("/dev/zero",
                                  shm() + "/lockstep-" + std::to_string(geteuid()) + "-l.blocks");
  mkfifo((shm() + "/lockstep-" + std::to_string(geteuid()) + "-fifo.blocks").c_str(), 0600);
  MemoryFile unterminated = memory_of("a", 77, 500);
  std::memset(unterminated.header()->run_dir, 'x', kPathBytes);
  unterminated.write();
  RecordedThreads threads(options());
  EXPECT_EQ(tids(&threads), Tids());
}

}  // namespace
}  // namespace lockstep::hostload
