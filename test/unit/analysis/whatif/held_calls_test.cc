// Calls alone are recorded: a rank that calls late may have waited for late data, unless the job shows
// that its calls wait for nothing.
#include "test/unit/analysis/whatif/played_job.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kOperations = 60;

// They go on `ns` after the last of them is there.
void wait_for_all(const std::vector<int32_t>& ranks, uint64_t ns, PlayedJob* job) {
  uint64_t last_ns = 0;
  for (const int32_t rank : ranks) last_ns = std::max(last_ns, job->now_ns(rank));
  for (const int32_t rank : ranks) job->work(rank, last_ns - job->now_ns(rank) + ns);
}

// All wait until their data is there before they call again: rank 1 gets it `late_ns` later than others.
Judged waiting_for_data(uint64_t takes_ns, uint64_t late_ns) {
  PlayedJob job(4, 4);
  for (unsigned i = 0; i < kOperations; ++i) {
    job.call_only(0, "AllReduce");
    wait_for_all({0, 1, 2, 3}, takes_ns, &job);
    job.work(1, late_ns);
  }
  return job.judge();
}

TEST(HeldCalls, ALateCallMayBeLateDataWhereAllWaitForTheirData) {
  const Judged judged = waiting_for_data(5 * kMs, 2 * kMs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_TRUE(data_may_be_late(judged.findings[0])) << judged.text();
}

TEST(HeldCalls, DataOfAnAllReduceIsNotLateByMoreThanHalfOfWhatItTakesTheOthers) {
  const Judged judged = waiting_for_data(5 * kMs, 4 * kMs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_FALSE(data_may_be_late(judged.findings[0])) << judged.text();
}

TEST(HeldCalls, ALateCallIsItsOwnWhereOthersCallWithoutWaiting) {
  // Four calls in a row, then all wait for the last of them; rank 1 comes late to each.
  PlayedJob job(4, 4);
  for (unsigned i = 0; i < kOperations; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, (rank == 1 ? 3 : 1) * kMs);
    job.call_only(0, "AllReduce");
    if (i % 4 == 3) wait_for_all({0, 1, 2, 3}, 9 * kMs, &job);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{1});
  EXPECT_FALSE(data_may_be_late(judged.findings[0])) << judged.text();
  EXPECT_NE(judged.text().find("the run would be up to "), std::string::npos) << judged.text();
}

TEST(HeldCalls, MayCostNothingWhereOthersCallWithoutWaitingAndItIsATrifle) {
  // As above, but the steps are far longer.
  PlayedJob job(4, 4);
  for (unsigned i = 0; i < kOperations; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, (rank == 1 ? 3 : 1) * kMs);
    job.call_only(0, "AllReduce");
    if (i % 4 == 3) wait_for_all({0, 1, 2, 3}, 300 * kMs, &job);
  }
  const Judged judged = job.judge();
  EXPECT_TRUE(judged.findings.empty()) << all_text(judged);
  const auto gap =
      std::find_if(judged.not_known.begin(), judged.not_known.end(),
                   [](const NotKnown& one) { return one.kind == NotKnownKind::CostAtMost; });
  ASSERT_NE(gap, judged.not_known.end()) << all_text(judged);
  EXPECT_EQ(gap->ranks, Ranks{1});
  EXPECT_EQ(gap->share_percent, 3);
}

TEST(HeldCalls, CostAsMuchAsIsSaidWhereNobodyRunsAhead) {
  const Judged judged = waiting_for_data(5 * kMs, 4 * kMs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.text().find("up to"), std::string::npos) << judged.text();
}

// The ranks of a host gather twice in a row, then each reduces with one rank of the other host, and all wait for that.
// Rank 1 comes late to every fourth step.
Judged gathering_in_hosts(PlayedJob job) {
  const std::vector<int32_t> hosts[] = {{0, 1}, {2, 3}}, across[] = {{0, 2}, {1, 3}};
  unsigned of_hosts[2], of_across[2];
  for (unsigned i = 0; i < 2; ++i) of_hosts[i] = job.communicator(hosts[i]);
  for (unsigned i = 0; i < 2; ++i) of_across[i] = job.communicator(across[i]);
  for (unsigned i = 0; i < kOperations; ++i) {
    if (i % 4 == 3) job.work(1, 20 * kMs);
    for (unsigned gather = 0; gather < 2; ++gather) {
      for (unsigned host = 0; host < 2; ++host) {
        job.call_only(of_hosts[host], "AllGather");
        wait_for_all(hosts[host], 1 * kMs, &job);
      }
    }
    for (const unsigned comm : of_across) job.call_only(comm, "AllReduce");
    wait_for_all({0, 1, 2, 3}, 9 * kMs, &job);
  }
  return job.judge();
}

TEST(HeldCalls, WhoSharedTheOperationBeforeTellsThatItsDataWasThere) {
  const Judged judged = gathering_in_hosts(PlayedJob(4, 2));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(world_ranks(judged), Ranks{1});
  EXPECT_FALSE(data_may_be_late(judged.findings[0])) << judged.text();
}

TEST(HeldCalls, WhoIsLateNowAndThenIsFoundThoughNothingConnectsTheClocks) {
  PlayedJob job(4, 2);
  job.clocks_apart(3'000 * kMs);
  const Judged judged = gathering_in_hosts(std::move(job));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(world_ranks(judged), Ranks{1});
  EXPECT_LE(judged.findings[0].confidence, 0.85) << "a clock is assumed";
  EXPECT_NE(judged.text().find("if the hosts' clocks are as assumed"), std::string::npos);
  EXPECT_NE(all_text(judged).find("Which hosts are always late is not known"), std::string::npos)
      << all_text(judged);
}

TEST(HeldCalls, NoCostIsAnUpperLimitOnClocksThatTheCallsHaveSet) {
  // Calls run ahead, as above, but what a host is always late by went into its clock.
  PlayedJob job(4, 2);
  job.clocks_apart(3'000 * kMs);
  for (unsigned i = 0; i < kOperations; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, (rank == 1 ? 3 : 1) * kMs);
    job.call_only(0, "AllReduce");
    if (i % 4 == 3) wait_for_all({0, 1, 2, 3}, 9 * kMs, &job);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(world_ranks(judged), Ranks{1});
  EXPECT_EQ(judged.text().find("up to"), std::string::npos) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
