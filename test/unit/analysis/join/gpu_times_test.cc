// Which GPU stamps a run believes, through what users load.
#include <gtest/gtest.h>

#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kOperations = 40;

// The first word of the n-th record with this tag.
uint64_t* nth(std::vector<uint64_t>* words, Tag tag, unsigned n) {
  for (size_t at = 0; at < words->size(); at += kRecordShapes[tag_of((*words)[at])].words) {
    if (tag_of((*words)[at]) == tag && n-- == 0) return words->data() + at;
  }
  return nullptr;
}

driver::RankRecords recorded_rank(TestRun* run) {
  driver::RankRecords rank(1, 0xc0, 0, 1, 10, &run->strings);
  rank.init(1'000 * kMs);
  for (unsigned i = 0; i < kOperations; ++i) {
    driver::RankOperation op = operation_at(i, 0);
    op.channels = 1;
    rank.operation(op);
  }
  return rank;
}

int64_t kernel_ns(unsigned i) { return static_cast<int64_t>(operation_at(i, 0).kernel_ns); }

TEST(GpuTimes, ContainTheTruthAndSayByHowMuch) {
  TestRun run;
  run.add(10, recorded_rank(&run));
  const auto tables = run.load();
  for (unsigned i = 0; i < kOperations; ++i) {
    const OperationRow& row = tables->operations[i];
    ASSERT_NE(row.kernel_start_ns, kNoTime) << i;
    EXPECT_LE(row.kernel_start_ns - row.kernel_early_ns, kernel_ns(i));
    EXPECT_GE(row.kernel_start_ns + row.kernel_late_ns, kernel_ns(i));
    EXPECT_EQ(row.flags & kSuspectGpuTime, 0);
  }
}

TEST(GpuTimes, AreSuspectWhenTheyAreOlderThanTheLaunch) {
  TestRun run;
  driver::RankRecords rank = recorded_rank(&run);
  nth(&rank.proxy, start_tag(Kind::KernelCh), 20)[4] -= 5 * kMs;
  run.add(10, rank);
  const auto tables = run.load();
  for (unsigned i = 0; i < kOperations; ++i) {
    const OperationRow& row = tables->operations[i];
    EXPECT_EQ((row.flags & kSuspectGpuTime) != 0, i == 20) << i;
    EXPECT_EQ(row.kernel_start_ns == kNoTime, i == 20) << i;
  }
}

TEST(GpuTimes, AreSuspectWhenAnotherLaunchHadThem) {
  TestRun run;
  driver::RankRecords rank = recorded_rank(&run);
  uint64_t* const earlier = nth(&rank.proxy, start_tag(Kind::KernelCh), 20);
  nth(&rank.proxy, start_tag(Kind::KernelCh), 21)[4] = earlier[4];
  nth(&rank.proxy, state_tag(kKernelChStop), 21)[2] =
      nth(&rank.proxy, state_tag(kKernelChStop), 20)[2];
  run.add(10, rank);
  const auto tables = run.load();
  EXPECT_NE(tables->operations[21].flags & kSuspectGpuTime, 0);
  EXPECT_EQ(tables->operations[20].flags & (kSuspectGpuTime | kSharedKernel), 0);
}

TEST(GpuTimes, AreSharedByTheOperationsOfOneLaunch) {
  TestRun run;
  driver::RankRecords rank = recorded_rank(&run);
  // Operation 21 was called in the group of operation 20, and ran in its kernel.
  const uint64_t group = nth(&rank.user, start_tag(Kind::GroupApi), 20)[1];
  nth(&rank.user, start_tag(Kind::CollApi), 21)[2] = group;
  nth(&rank.proxy, start_tag(Kind::KernelCh), 21)[4] =
      nth(&rank.proxy, start_tag(Kind::KernelCh), 20)[4];
  nth(&rank.proxy, state_tag(kKernelChStop), 21)[2] =
      nth(&rank.proxy, state_tag(kKernelChStop), 20)[2];
  run.add(10, rank);
  const auto tables = run.load();
  for (const unsigned i : {20u, 21u}) {
    EXPECT_EQ(tables->operations[i].flags & (kSuspectGpuTime | kSharedKernel), kSharedKernel) << i;
  }
}

// The second of two operations, a send and a receive, is over on the GPU before its data is there.
driver::RankRecords send_and_receive(TestRun* run, bool in_one_group) {
  driver::RankRecords rank(1, 0xc0, 0, 2, 10, &run->strings);
  rank.init(1'000 * kMs);
  for (unsigned i = 0; i < 2; ++i) {
    driver::RankOperation op = operation_at(i, 0);
    op.func = i == 0 ? "Send" : "Recv";
    op.peer = 1;
    op.channels = op.steps = 1;
    op.received_ns = op.finish_ns + 7 * kMs;
    rank.operation(op);
  }
  if (in_one_group)
    nth(&rank.user, start_tag(Kind::P2pApi), 1)[2] =
        nth(&rank.user, start_tag(Kind::GroupApi), 0)[1];
  return rank;
}

TEST(GpuTimes, OfAReceiveInAGroupDoNotTellWhenItWasOver) {
  TestRun run;
  run.add(10, send_and_receive(&run, true));
  const auto tables = run.load();
  ASSERT_EQ(tables->operations.size(), 2u);
  const OperationRow &send = tables->operations[0], &receive = tables->operations[1];
  EXPECT_EQ(send.over_ns(), send.kernel_stop_ns);
  EXPECT_EQ(receive.flags & kEarlyStop, kEarlyStop);
  EXPECT_EQ(receive.over_ns(), receive.finish_ns);
  EXPECT_GT(receive.finish_ns, receive.kernel_stop_ns + int64_t(6 * kMs));
}

TEST(GpuTimes, OfAReceiveAloneDo) {
  TestRun run;
  run.add(10, send_and_receive(&run, false));
  const auto tables = run.load();
  ASSERT_EQ(tables->operations.size(), 2u);
  const OperationRow& receive = tables->operations[1];
  EXPECT_EQ(receive.flags & kEarlyStop, 0);
  EXPECT_EQ(receive.over_ns(), receive.kernel_stop_ns);
}

}  // namespace
}  // namespace lockstep::analysis
