// Calls alone are recorded: a rank that calls late may have waited for late data, unless the job shows
// that its calls wait for nothing.
#include "test/unit/analysis/whatif/played_job.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kOperations = 60;

// All wait until their data is there before they call again: rank 1 gets it `late_ns` later than others.
Judged waiting_for_data(uint64_t takes_ns, uint64_t late_ns) {
  PlayedJob job(4, 4);
  for (unsigned i = 0; i < kOperations; ++i) {
    job.call_only(0, "AllReduce");
    uint64_t last_ns = 0;
    for (int32_t rank = 0; rank < 4; ++rank) last_ns = std::max(last_ns, job.now_ns(rank));
    for (int32_t rank = 0; rank < 4; ++rank)
      job.work(rank, last_ns - job.now_ns(rank) + takes_ns + (rank == 1 ? late_ns : 0));
  }
  return job.judge();
}

TEST(HeldCalls, ALateCallMayBeLateDataWhereAllWaitForTheirData) {
  const Judged judged = waiting_for_data(5 * kMs, 2 * kMs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_TRUE(data_may_be_late(judged.findings[0])) << judged.text();
}

TEST(HeldCalls, DataOfAnAllReduceIsNotLateByLongerThanItTakesTheOthers) {
  const Judged judged = waiting_for_data(1 * kMs, 4 * kMs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_FALSE(data_may_be_late(judged.findings[0])) << judged.text();
}

TEST(HeldCalls, ALateCallIsItsOwnWhereOthersCallWithoutWaiting) {
  // Four calls in a row, then all wait for the last of them; rank 1 comes late to each.
  PlayedJob job(4, 4);
  for (unsigned i = 0; i < kOperations; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, (rank == 1 ? 3 : 1) * kMs);
    job.call_only(0, "AllReduce");
    if (i % 4 != 3) continue;
    uint64_t last_ns = 0;
    for (int32_t rank = 0; rank < 4; ++rank) last_ns = std::max(last_ns, job.now_ns(rank));
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, last_ns - job.now_ns(rank) + 9 * kMs);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{1});
  EXPECT_FALSE(data_may_be_late(judged.findings[0])) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
