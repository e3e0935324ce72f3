#include "hostload/sample/task_files.h"

#include <gtest/gtest.h>

#include "hostload/sample/kernel_file.h"

namespace lockstep::hostload {
namespace {

TEST(TaskFiles, SchedstatHasRunAndWaitTimeAndSlices) {
  ThreadTimes times;
  read_schedstat("123456789 42 17\n", &times);
  EXPECT_EQ(times.run_ns, 123456789);
  EXPECT_EQ(times.wait_ns, 42);
  EXPECT_EQ(times.timeslices, 17);
}

TEST(TaskFiles, NothingIsKnownFromAnEmptySchedstat) {
  ThreadTimes times;
  read_schedstat("", &times);
  EXPECT_EQ(times.run_ns, kNotSampled);
  EXPECT_EQ(times.timeslices, kNotSampled);
}

TEST(TaskFiles, StatusHasSwitchesAndAffinity) {
  ThreadEvents events;
  read_status(
      "Name:\tpython\nCpus_allowed:\tff\nCpus_allowed_list:\t0-3,6\n"
      "voluntary_ctxt_switches:\t150\nnonvoluntary_ctxt_switches:\t545\n",
      &events);
  EXPECT_EQ(events.processors_allowed, 5);
  EXPECT_EQ(events.voluntary_switches, 150);
  EXPECT_EQ(events.involuntary_switches, 545);
}

// As the kernel writes it, but for a name that tries to be fields.
constexpr const char* kStat =
    "77 (a) R 9 (b)) S 1 77 77 0 -1 4194560 11 12 13 14 15 16 17 18 20 0 1 0 2022 5 6 7 1 1 0 0 0 "
    "0 0 "
    "0 0 0 0 0 17 3 0 0 0 0 0 0 0\n";

TEST(TaskFiles, StatIsCountedFromTheLastParenthesis) {
  ThreadEvents events;
  read_stat(kStat, &events);
  EXPECT_EQ(events.minor_faults, 11);
  EXPECT_EQ(events.major_faults, 13);
  EXPECT_EQ(events.processor, 3);
  EXPECT_EQ(start_time(kStat), 2022u);
}

TEST(TaskFiles, ATornStatSaysWhatItHas) {
  ThreadEvents events;
  read_stat("77 (a) S 1 77 77 0 -1 4194560 11 12", &events);
  EXPECT_EQ(events.minor_faults, 11);
  EXPECT_EQ(events.major_faults, kNotSampled);
  EXPECT_EQ(events.processor, kNotSampled);
  EXPECT_EQ(start_time("no parenthesis"), 0u);
  EXPECT_EQ(start_time("1 (x"), 0u);
}

TEST(TaskFiles, OfThisKernelSayAllThereIs) {
  ThreadTimes times;
  read_schedstat(read_kernel_file("/proc/thread-self/schedstat"), &times);
  if (times.run_ns == kNotSampled)
    GTEST_SKIP() << "this kernel keeps no schedstat (CONFIG_SCHED_INFO)";
  EXPECT_GT(times.run_ns, 0);
  EXPECT_GT(times.timeslices, 0);
  ThreadEvents events;
  read_status(read_kernel_file("/proc/thread-self/status"), &events);
  read_stat(read_kernel_file("/proc/thread-self/stat"), &events);
  EXPECT_GE(events.voluntary_switches, 0);
  EXPECT_GE(events.involuntary_switches, 0);
  EXPECT_GT(events.minor_faults, 0);
  EXPECT_GE(events.major_faults, 0);
  EXPECT_GE(events.processor, 0);
  EXPECT_GE(events.processors_allowed, 1);
}

}  // namespace
}  // namespace lockstep::hostload
