// Times of one operation that is done again and again, some of them long.
#include "analysis/paths/slow_moments.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// Around 1 ms, by a few microseconds more or less.
std::vector<int64_t> usual_times(size_t count) {
  std::vector<int64_t> times;
  for (size_t i = 0; i < count; ++i)
    times.push_back(1'000 * kUs + static_cast<int64_t>(i * 7 % 5) * kUs);
  return times;
}

TEST(SlowMoments, AreThereWhereTimesAreLongForAWhile) {
  std::vector<int64_t> times = usual_times(60);
  for (size_t i = 20; i < 32; ++i) times[i] = 3'000 * kUs;
  const SlowMoments moments = find_slow_moments(times);
  EXPECT_EQ(moments.slow.size(), 12u);
  EXPECT_EQ(moments.usual.size(), 48u);
  EXPECT_NEAR(static_cast<double>(moments.usual_ns), 1'001 * kUs, 3 * kUs);
  EXPECT_NEAR(static_cast<double>(moments.lost_ns), 12 * 2'000 * kUs, 100 * kUs);
}

TEST(SlowMoments, AreNotSingleLongTimes) {
  std::vector<int64_t> times = usual_times(60);
  for (size_t i = 2; i < 60; i += 4) times[i] = 1'900 * kUs;
  EXPECT_TRUE(find_slow_moments(times).slow.empty());
}

TEST(SlowMoments, AreSingleTimesThatAreTwiceAsLong) {
  std::vector<int64_t> times = usual_times(60);
  for (size_t i = 2; i < 60; i += 6) times[i] = 2'100 * kUs;
  EXPECT_EQ(find_slow_moments(times).slow.size(), 10u);
}

TEST(SlowMoments, AreNotThereWhereTimesScatterAsMuch) {
  std::vector<int64_t> times;
  for (size_t i = 0; i < 60; ++i)
    times.push_back(500 * kUs + static_cast<int64_t>(i * 37 % 60) * 15 * kUs);
  EXPECT_TRUE(find_slow_moments(times).slow.empty());
}

TEST(SlowMoments, AreNotJudgedByAFewTimes) {
  std::vector<int64_t> times = usual_times(12);
  for (size_t i = 2; i < 10; ++i) times[i] = 3'000 * kUs;
  EXPECT_TRUE(find_slow_moments(times).slow.empty());
}

}  // namespace
}  // namespace lockstep::analysis
