#include "hostload/sample/cgroups.h"

#include <gtest/gtest.h>

#include "test/unit/hostload/sample/fake_root.h"

namespace lockstep::hostload {
namespace {

constexpr const char* kGroup = "/sys/fs/cgroup/job.slice/step0";

// A job with a quota of two and a half processors and 1 GiB, and a step inside it that has none.
void make_unified(const FakeRoot& root) {
  root.put("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw,nsdelegate 0 0\n");
  root.put("/proc/77/cgroup", "0::/job.slice/step0\n");
  root.put(std::string(kGroup) + "/cpu.max", "max 100000\n");
  root.put(std::string(kGroup) + "/cpu.stat", "usage_usec 5\nuser_usec 3\n");
  root.put(std::string(kGroup) + "/cpu.pressure",
           "some avg10=0.00 avg60=0.00 avg300=0.00 total=17\nfull avg10=0.00 total=4\n");
  root.put(std::string(kGroup) + "/memory.pressure", "some total=3\nfull total=2\n");
  root.put(std::string(kGroup) + "/memory.max", "max\n");
  root.put(std::string(kGroup) + "/memory.current", "4096\n");
  root.put("/sys/fs/cgroup/job.slice/cpu.max", "250000 100000\n");
  root.put("/sys/fs/cgroup/job.slice/cpu.stat",
           "usage_usec 5\nnr_periods 10\nnr_throttled 4\nthrottled_usec 1500\n");
  root.put("/sys/fs/cgroup/job.slice/memory.max", "1073741824\n");
  root.put("/sys/fs/cgroup/job.slice/memory.events",
           "low 0\nhigh 0\nmax 12\noom 1\noom_kill 1\noom_group_kill 0\n");
  root.put("/sys/fs/cgroup/job.slice/memory.stat", "file 1\nworkingset_refault_file 900\n");
}

TEST(Cgroups, OfVersionTwoAreTheProcessesOwnAndThoseAboveWithALimit) {
  FakeRoot root;
  make_unified(root);
  const std::vector<Cgroup> cgroups = cgroups_of(root.path(), 77);
  ASSERT_EQ(cgroups.size(), 2u);
  EXPECT_EQ(cgroups[0].name, "/job.slice/step0");
  EXPECT_EQ(cgroups[1].name, "/job.slice");

  HostLoad own, above;
  read_cgroup(cgroups[0], &own);
  EXPECT_EQ(own.millis_of_processors, kNotSampled);
  EXPECT_EQ(own.throttled_ns, kNotSampled);
  EXPECT_EQ(own.memory_bytes, 4096);
  EXPECT_EQ(own.memory_limit_bytes, kNotSampled);
  EXPECT_EQ(own.cpu_some_ns, 17'000);
  EXPECT_EQ(own.memory_full_ns, 2'000);
  EXPECT_EQ(own.io_some_ns, kNotSampled);
  read_cgroup(cgroups[1], &above);
  EXPECT_EQ(above.millis_of_processors, 2500);
  EXPECT_EQ(above.periods, 10);
  EXPECT_EQ(above.throttled_periods, 4);
  EXPECT_EQ(above.throttled_ns, 1'500'000);
  EXPECT_EQ(above.memory_limit_bytes, 1 << 30);
  EXPECT_EQ(above.memory_limit_hits, 12);
  EXPECT_EQ(above.oom_kills, 1);
  EXPECT_EQ(above.memory_refaults, 900);
}

TEST(Cgroups, OfVersionOneHaveATreeForEachController) {
  FakeRoot root;
  root.put("/proc/mounts",
           "cgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0\n"
           "cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n");
  root.put("/proc/77/cgroup", "9:memory:/m\n4:cpu,cpuacct:/c\n0::/\n");
  root.put("/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us", "50000\n");
  root.put("/sys/fs/cgroup/cpu/c/cpu.cfs_period_us", "100000\n");
  root.put("/sys/fs/cgroup/cpu/c/cpu.stat", "nr_periods 7\nnr_throttled 3\nthrottled_time 900\n");
  root.put("/sys/fs/cgroup/memory/m/memory.limit_in_bytes", "9223372036854771712\n");
  root.put("/sys/fs/cgroup/memory/m/memory.usage_in_bytes", "8192\n");
  root.put("/sys/fs/cgroup/memory/m/memory.failcnt", "5\n");
  root.put("/sys/fs/cgroup/memory/m/memory.stat",
           "cache 1\nworkingset_refault_file 70\ntotal_workingset_refault_file 71\n");
  const std::vector<Cgroup> cgroups = cgroups_of(root.path(), 77);
  ASSERT_EQ(cgroups.size(), 2u);
  EXPECT_EQ(cgroups[0].name, "memory:/m");
  EXPECT_EQ(cgroups[1].name, "cpu:/c");
  HostLoad memory, cpu;
  read_cgroup(cgroups[0], &memory);
  EXPECT_EQ(memory.memory_limit_bytes, kNotSampled);
  EXPECT_EQ(memory.memory_bytes, 8192);
  EXPECT_EQ(memory.memory_limit_hits, 5);
  EXPECT_EQ(memory.memory_refaults, 70);
  EXPECT_EQ(memory.throttled_ns, kNotSampled);
  read_cgroup(cgroups[1], &cpu);
  EXPECT_EQ(cpu.millis_of_processors, 500);
  EXPECT_EQ(cpu.throttled_ns, 900);
  EXPECT_EQ(cpu.throttled_periods, 3);
}

TEST(Cgroups, ThatAContainersMountDoesNotHaveAreItsRoot) {
  FakeRoot root;
  root.put("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n");
  root.put("/proc/77/cgroup", "0::/docker/0123\n");
  root.put("/sys/fs/cgroup/cpu.max", "100000 100000\n");
  const std::vector<Cgroup> cgroups = cgroups_of(root.path(), 77);
  ASSERT_EQ(cgroups.size(), 1u);
  EXPECT_EQ(cgroups[0].name, "/");
}

TEST(Cgroups, OfHostileFilesAreFewAndBelowTheMount) {
  FakeRoot root;
  root.put("/proc/mounts", "cgroup2 /sys/fs/cgroup cgroup2 rw 0 0\n\n   \nx\n");
  std::string deep, lines = "0::/a/../../etc\n0:\n::\nnothing\n0::relative\n";
  for (int level = 0; level < 40; ++level) deep += "/d";
  root.put("/sys/fs/cgroup" + deep + "/cpu.max", "1 0\n");
  std::string path = deep;
  for (int level = 0; level < 40; ++level) {
    root.put("/sys/fs/cgroup" + path + "/memory.max", "1\n");
    path.resize(path.size() - 2);
  }
  for (int i = 0; i < 1000; ++i) lines += "0::" + deep + "\n";
  root.put("/proc/77/cgroup", lines);
  const std::vector<Cgroup> cgroups = cgroups_of(root.path(), 77);
  EXPECT_EQ(cgroups.size(), 16u);
  for (const Cgroup& cgroup : cgroups) EXPECT_EQ(cgroup.name.find(".."), std::string::npos);
}

TEST(Cgroups, OfAKernelWithoutThemAreNone) {
  FakeRoot root;
  EXPECT_TRUE(cgroups_of(root.path(), 77).empty());
}

}  // namespace
}  // namespace lockstep::hostload
