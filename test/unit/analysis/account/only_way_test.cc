// Two hosts alone: how much their network matters, and at what rate it moves data.
#include "analysis/account/only_way.h"

#include <gtest/gtest.h>

#include "analysis/follow/followed_run.h"
#include "test/unit/analysis/whatif/played_job.h"

namespace lockstep::analysis {
namespace {

// Each step of `work_ns` ends with a reduction of all that moves its data in `move_ns`.
Judged steps_on(int32_t hosts, uint64_t work_ns, uint64_t move_ns) {
  const int32_t ranks = 2 * hosts;
  PlayedJob job(ranks, 2);
  job.size(1 << 20);
  for (unsigned i = 0; i < 40; ++i) {
    for (int32_t rank = 0; rank < ranks; ++rank) job.work(rank, work_ns);
    job.collective(0, move_ns);
  }
  return job.judge();
}

OnlyWay only_way_of(const Judged& judged) {
  return find_only_way(*judged.run, follow_run(*judged.run).own);
}

TEST(OnlyWay, IsThatBetweenTwoHosts) {
  const Judged judged = steps_on(2, 6 * kMs, 4 * kMs);
  const OnlyWay way = only_way_of(judged);
  ASSERT_NE(way.operation, kNoRow);
  EXPECT_EQ(judged.run->text(judged.run->operations[way.operation].func), "AllReduce");
  EXPECT_NEAR(static_cast<double>(way.gain_percent), 20, 1);
  const double moved = 1.5 * static_cast<double>(judged.run->operations[way.operation].size_bytes);
  EXPECT_NEAR(way.busbw_gbs, moved / 4e6, 0.05 * moved / 4e6);
}

TEST(OnlyWay, IsToldWhereNothingElseIsFound) {
  const auto told = [](const Judged& judged) {
    return std::count_if(judged.not_known.begin(), judged.not_known.end(), [](const auto& gap) {
      return gap.kind == NotKnownKind::OnlyWay && gap.share_percent > 0 && gap.busbw_gbs > 0;
    });
  };
  EXPECT_EQ(told(steps_on(2, 6 * kMs, 4 * kMs)), 1);
  EXPECT_EQ(told(steps_on(3, 6 * kMs, 4 * kMs)), 0);
}

TEST(OnlyWay, IsNoneOfOneHostOrOfThree) {
  EXPECT_EQ(only_way_of(steps_on(1, 6 * kMs, 4 * kMs)).operation, kNoRow);
  EXPECT_EQ(only_way_of(steps_on(3, 6 * kMs, 4 * kMs)).operation, kNoRow);
}

TEST(OnlyWay, IsNoneWhereLittleIsToBeWon) {
  EXPECT_EQ(only_way_of(steps_on(2, 97 * kMs, 3 * kMs)).operation, kNoRow);
}

TEST(OnlyWay, IsThatOfTheOperationsThatMoveDataForLongest) {
  PlayedJob job(4, 2);
  for (unsigned i = 0; i < 40; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, 2 * kMs);
    job.size(1 << 10);
    job.collective(0, kMs, "AllGather");
    job.size(1 << 20);
    job.collective(0, 4 * kMs, "ReduceScatter");
  }
  const Judged judged = job.judge();
  const OnlyWay way = only_way_of(judged);
  ASSERT_NE(way.operation, kNoRow);
  EXPECT_EQ(judged.run->text(judged.run->operations[way.operation].func), "ReduceScatter");
}

TEST(OnlyWay, IsNotKnownByClocksThatErrByHalfOfItsTimes) {
  Judged judged = steps_on(2, 6 * kMs, 4 * kMs);
  for (ArrivalRow& row : judged.run->arrivals) row.clock_error_ns = 2 * kMs;
  EXPECT_NE(only_way_of(judged).operation, kNoRow);
  for (ArrivalRow& row : judged.run->arrivals) row.clock_error_ns = 3 * kMs;
  EXPECT_EQ(only_way_of(judged).operation, kNoRow);
}

// What is inside a host is no network's.
TEST(OnlyWay, IsNoneOfCommunicatorsInsideHosts) {
  PlayedJob job(4, 2);
  const unsigned first = job.communicator({0, 1}), second = job.communicator({2, 3});
  for (unsigned i = 0; i < 40; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, kMs);
    job.collective(first, 4 * kMs);
    job.collective(second, 4 * kMs);
    if (i % 20 == 0) job.collective(0, kMs / 10);
  }
  EXPECT_EQ(only_way_of(job.judge()).operation, kNoRow);
}

}  // namespace
}  // namespace lockstep::analysis
