// Whether somebody waited, where the hosts' clocks are known badly.
#include "analysis/follow/wait_error.h"

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// Four hosts of a rank each; rank 3 is late by 5 ms in every third operation, which ends so much later on each rank.
Judged late_rank(const char* func, int64_t clock_error_ns, uint64_t ends_apart_ns = 0) {
  PlayedJob job(4, 1);
  for (unsigned i = 0; i < 60; ++i) {
    uint64_t last_ns = 0;
    for (int32_t rank = 0; rank < 4; ++rank) {
      job.work(rank, 4 * kMs + (rank == 3 && i % 3 == 1 ? 5 * kMs : 0));
      last_ns = std::max(last_ns, job.now_ns(rank));
    }
    job.each_until(0, func, [&](int32_t rank) {
      return last_ns + 200 * kUs + ends_apart_ns * static_cast<uint64_t>(rank);
    });
  }
  return with_clocks_apart(job.judge(), clock_error_ns);
}

TEST(WaitErrors, AreNoLargerThanTheEndsAreApart) {
  const Judged judged = late_rank("AllReduce", 50 * kMs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3});
}

TEST(WaitErrors, AreThoseOfTheClocksWhereEndsLieFarApart) {
  EXPECT_TRUE(late_rank("AllReduce", 50 * kMs, 2 * kMs).findings.empty());
}

// The root of a broadcast is done before the others come, so that no end tells when they came.
TEST(WaitErrors, AreThoseOfTheClocksWhereNotAllWaitForAll) {
  EXPECT_TRUE(late_rank("Broadcast", 50 * kMs).findings.empty());
  EXPECT_FALSE(late_rank("Broadcast", 0).findings.empty());
}

}  // namespace
}  // namespace lockstep::analysis
