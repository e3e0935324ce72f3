#include "hostload/sample/sampler.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "hostload/sample/cgroups.h"
#include "hostload/sample/kernel_file.h"
#include "hostload/sample/kernel_text.h"
#include "hostload/sample/task_files.h"
#include "test/unit/hostload/sample/fake_root.h"
#include "test/unit/hostload/sample/memory_file.h"

namespace lockstep::hostload {
namespace {

uint32_t own_pid() { return static_cast<uint32_t>(getpid()); }
uint32_t own_tid() { return static_cast<uint32_t>(syscall(SYS_gettid)); }

// Threads of this process that hold blocks of a memory file, under the real /proc.
class SamplerTest : public testing::Test {
 protected:
  SamplerTest() : memory_(folder_.path(), "own") {
    std::string boot = read_kernel_file("/proc/sys/kernel/random/boot_id");
    boot.pop_back();
    std::strcpy(memory_.header()->boot_id, boot.c_str());
    memory_.header()->pid = own_pid();
    memory_.header()->process_start = start_time(read_kernel_file("/proc/self/stat"));
    memory_.header()->process_uid = 4711;
    memory_.write();
    for (size_t i = 0; i < kThreads; ++i) {
      threads_[i] = std::thread([this, i] {
        tids_[i] = own_tid();
        while (!stop_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      });
    }
    for (size_t i = 0; i < kThreads; ++i) {
      while (tids_[i] == 0) std::this_thread::yield();
      memory_.put_block(i, tids_[i], "rank");
    }
    options_.host = "node1";
    options_.run_directory = "/run";
    options_.memory_folders = {folder_.path()};
  }
  ~SamplerTest() override {
    stop_ = true;
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
  }
  void SetUp() override {
    if (read_kernel_file("/proc/self/schedstat").empty())
      GTEST_SKIP() << "this kernel keeps no schedstat (CONFIG_SCHED_INFO)";
  }

  static constexpr size_t kThreads = 4;
  FakeRoot folder_;
  MemoryFile memory_;
  std::atomic<bool> stop_{false};
  std::atomic<uint32_t> tids_[kThreads] = {};
  std::thread threads_[kThreads];
  SamplerOptions options_;
};

TEST_F(SamplerTest, SamplesEachThreadAtEachTickAndTheRestOnceASecond) {
  Sampler sampler(options_);
  for (uint64_t tick = 0; tick < kTicksASecond; ++tick) sampler.tick();
  const LoadChunk chunk = sampler.take();
  EXPECT_EQ(chunk.host, "node1");
  EXPECT_FALSE(chunk.boot_id.empty());
  ASSERT_EQ(chunk.threads.size(), kThreads);
  EXPECT_EQ(chunk.threads[0].process_uid, 4711u);
  EXPECT_EQ(chunk.thread_times.size(), kThreads * kTicksASecond);
  EXPECT_EQ(chunk.thread_events.size(), kThreads);
  EXPECT_EQ(chunk.thread_events[0].raw_ns, chunk.thread_times[0].raw_ns);
  ASSERT_GE(chunk.host_loads.size(), 1u);
  // A chroot often has no /sys.
  const bool has_sys = access("/sys/devices/system/cpu/online", R_OK) == 0;
  EXPECT_EQ(chunk.host_loads[0].millis_of_processors > 0, has_sys);
  EXPECT_GT(chunk.host_loads[0].memory_bytes, 0);
  EXPECT_EQ(chunk.cgroups[0], "");
  EXPECT_FALSE(chunk.counter_values.empty());
}

TEST_F(SamplerTest, FindsAThreadOfAYoungRunWithinATick) {
  for (size_t i = 0; i < kThreads; ++i) memory_.put_block(i, 0, "");
  Sampler sampler(options_);
  for (uint32_t i = 0; i < kThreads; ++i) {
    sampler.tick();
    EXPECT_EQ(sampler.take().threads.size(), i);
    memory_.put_block(i, tids_[i], "rank");
  }
}

TEST_F(SamplerTest, SamplesTheCgroupsEachSecondAlsoWhenALookFindsNoThreadAgain) {
  constexpr size_t kBlocks = 64;  // more than one look reads of a process that is not new
  for (size_t i = kThreads; i < kBlocks; ++i) memory_.put_block(i, 0, "");
  Sampler sampler(options_);
  constexpr unsigned kSeconds = 24;
  for (unsigned second = 0; second < kSeconds; ++second) {
    sampler.tick();
    const LoadChunk chunk = sampler.take();
    EXPECT_EQ(chunk.host_loads.size(), chunk.cgroups.size());
    EXPECT_EQ(chunk.cgroups.size(), 1 + cgroups_of("", own_pid()).size()) << "in second " << second;
    for (size_t i = 1; i < chunk.host_loads.size(); ++i)
      EXPECT_EQ(chunk.host_loads[i].only_pid, own_pid()) << chunk.cgroups[i];
    for (uint64_t tick = 1; tick < kTicksASecond; ++tick) sampler.tick();
    sampler.take();
  }
}

TEST_F(SamplerTest, SaysWhatTheKernelSays) {
  Sampler sampler(options_);
  ThreadTimes before, after;
  const std::string file = "/proc/self/task/" + std::to_string(tids_[0]) + "/schedstat";
  read_schedstat(read_kernel_file(file), &before);
  sampler.tick();
  read_schedstat(read_kernel_file(file), &after);
  const LoadChunk chunk = sampler.take();
  const ThreadTimes& sampled = chunk.thread_times[0];
  EXPECT_GE(sampled.run_ns, before.run_ns);
  EXPECT_LE(sampled.run_ns, after.run_ns);
  EXPECT_GE(sampled.wait_ns, before.wait_ns);
  EXPECT_LE(sampled.wait_ns, after.wait_ns);
}

TEST_F(SamplerTest, EachChunkListsTheThreadsOfItsOwnRows) {
  Sampler sampler(options_);
  sampler.tick();
  sampler.take();
  sampler.tick();
  const LoadChunk chunk = sampler.take();
  EXPECT_EQ(chunk.threads.size(), kThreads);
  EXPECT_EQ(chunk.thread_times.size(), kThreads);
  EXPECT_TRUE(sampler.take().threads.empty());
}

TEST_F(SamplerTest, LetsAThreadGoThatEnds) {
  Sampler sampler(options_);
  sampler.tick();
  sampler.take();
  stop_ = true;
  for (std::thread& thread : threads_) thread.join();
  bool are_gone = false;  // the kernel lists a thread for a moment after it was joined
  for (int look = 0; look < 500 && !are_gone; ++look) {
    usleep(10'000);
    sampler.tick();
    are_gone = sampler.take().thread_times.empty();
  }
  EXPECT_TRUE(are_gone);
}

// What a sample costs, in what does not depend on the machine: calls of the system that read.
TEST_F(SamplerTest, ReadsOneFileAThreadAtATick) {
  const auto reads = [] {
    return number_after(read_kernel_file("/proc/thread-self/io"), "syscr:");
  };
  if (reads() == kNotSampled)
    GTEST_SKIP() << "this kernel does not count a thread's reads (CONFIG_TASK_IO_ACCOUNTING)";
  Sampler sampler(options_);
  // The first second, and the tick of the next that looks at everything.
  for (uint64_t tick = 0; tick <= kTicksASecond; ++tick) sampler.tick();
  const int64_t before = reads();
  const int64_t own_cost = reads() - before;
  const int64_t start = reads();
  for (uint64_t tick = 1; tick < kTicksASecond; ++tick) sampler.tick();
  const int64_t of_ticks = reads() - start - own_cost;
  EXPECT_EQ(of_ticks, static_cast<int64_t>(kThreads * (kTicksASecond - 1)));
}

}  // namespace
}  // namespace lockstep::hostload
