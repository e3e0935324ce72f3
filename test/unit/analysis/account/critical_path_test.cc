// What determined the end of runs laid out by hand, and what each of its pieces could win.
#include "analysis/account/critical_path.h"

#include <gtest/gtest.h>

#include "analysis/account/step_times.h"
#include "test/unit/analysis/account/laid_out_run.h"

namespace lockstep::analysis {
namespace {

constexpr int64_t kMs = 1'000'000;

std::vector<CriticalPathRow> path_of(const LaidOutRun& job) {
  return find_critical_path(job.run, job.own, {job.own_excess_ns, job.transfer_excess_ns});
}

TEST(CriticalPath, GoesBackOverWhoCameLastWithoutAGap) {
  LaidOutRun job(2);
  job.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}});
  job.operation({{0, 2 * kMs, 12 * kMs}, {1, 10 * kMs, 12 * kMs}});
  job.operation({{0, 15 * kMs, 17 * kMs}, {1, 13 * kMs, 17 * kMs}});
  job.finish();
  const std::vector<CriticalPathRow> path = path_of(job);
  ASSERT_EQ(path.size(), 5u);
  for (size_t i = 1; i < path.size(); ++i) EXPECT_EQ(path[i].start_ns, path[i - 1].end_ns);
  EXPECT_EQ(path.front().start_ns, 0);
  EXPECT_EQ(path.back().end_ns, 17 * kMs);
  EXPECT_EQ(path[1].part, PathPart::Own);
  EXPECT_EQ(path[1].rank, 1);
  EXPECT_EQ(path[1].duration_ns, 9 * kMs);
  EXPECT_EQ(path[2].part, PathPart::Transfer);
  EXPECT_EQ(path[2].duration_ns, 2 * kMs);
  EXPECT_EQ(path[3].rank, 0);
  EXPECT_EQ(path[3].duration_ns, 3 * kMs);
}

TEST(CriticalPath, WinsNoMoreThanTheNextLongestWayLeaves) {
  LaidOutRun job(2);
  job.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}});
  const uint32_t late = job.operation({{0, 6 * kMs, 12 * kMs}, {1, 10 * kMs, 12 * kMs}});
  job.finish();
  job.own_excess_ns[job.arrival(late, 1)] = 7 * kMs;
  const std::vector<CriticalPathRow> path = path_of(job);
  ASSERT_EQ(path.size(), 3u);
  EXPECT_EQ(path[1].excess_ns, 7 * kMs);
  EXPECT_EQ(path[1].gain_ns, 4 * kMs);  // then rank 0 is last
}

TEST(CriticalPath, TakesARanksLatenessAwayOnAllItsCommunicators) {
  LaidOutRun job(3);
  job.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}, {2, 0, 1 * kMs}});
  // Rank 2 begins both 7 ms late, with rank 0 on one communicator and with rank 1 on the other.
  const uint32_t one = job.operation({{0, 3 * kMs, 12 * kMs}, {2, 10 * kMs, 12 * kMs}});
  const uint32_t other =
      job.operation_on(1, {{1, 3 * kMs, 12 * kMs}, {2, 10 * kMs + 100, 12 * kMs}});
  job.finish();
  job.own_excess_ns[job.arrival(one, 2)] = 7 * kMs;
  job.own_excess_ns[job.arrival(other, 2)] = 7 * kMs;
  const std::vector<CriticalPathRow> path = path_of(job);
  ASSERT_EQ(path.size(), 3u);
  EXPECT_EQ(path[1].rank, 2);
  EXPECT_EQ(path[1].gain_ns, 7 * kMs);
}

TEST(CriticalPath, TakesATransfersExcessAwayFromAllItsRanks) {
  LaidOutRun job(2);
  job.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}});
  const uint32_t slow = job.operation({{0, 2 * kMs, 12 * kMs}, {1, 2 * kMs, 12 * kMs}});
  job.operation({{0, 15 * kMs, 17 * kMs}, {1, 14 * kMs, 17 * kMs}});
  job.finish();
  job.transfer_excess_ns[slow] = 8 * kMs;
  int64_t gain_ns = 0;
  for (const CriticalPathRow& piece : path_of(job)) gain_ns += piece.gain_ns;
  EXPECT_EQ(gain_ns, 8 * kMs);
}

TEST(StepTimes, AddUpToThePathAndNameWhoHeldItUp) {
  LaidOutRun job(2);
  job.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}});
  const uint32_t late = job.operation({{0, 2 * kMs, 12 * kMs}, {1, 10 * kMs, 12 * kMs}});
  job.operation({{0, 30 * kMs, 33 * kMs}, {1, 13 * kMs, 33 * kMs}});
  job.finish();
  job.run.matches[0].step = job.run.matches[1].step = job.run.matches[2].step = 0;
  job.own_excess_ns[job.arrival(late, 1)] = 7 * kMs;
  const std::vector<CriticalPathRow> path = path_of(job);
  const std::vector<StepTime> steps = find_step_times(path);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].duration_ns(), 33 * kMs);
  EXPECT_EQ(steps[0].own_ns, 9 * kMs + 18 * kMs);
  EXPECT_EQ(steps[0].process, 1u);  // rank 0 took longer, but not longer than usual
  EXPECT_EQ(steps[0].gain_ns, 7 * kMs);
}

}  // namespace
}  // namespace lockstep::analysis
