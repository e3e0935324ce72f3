#include "dumper/drain/shed_watch.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::dumper {
namespace {

TEST(ShedWatch, SaysNothingWhileNothingIsShed) {
  ShedWatch watch(kSecond);
  for (uint64_t second = 2; second < 200; ++second) EXPECT_EQ(watch.look(0, second * kSecond), "");
  EXPECT_EQ(watch.from_raw_ns(), 0u);
  EXPECT_EQ(watch.to_raw_ns(), 0u);
}

TEST(ShedWatch, SpeaksAtTheFirstShedAndThenOnceAMinuteWithTheCounts) {
  ShedWatch watch(kSecond);
  EXPECT_EQ(watch.look(0, 10 * kSecond), "");
  EXPECT_EQ(
      watch.look(7, 11 * kSecond),
      "the buffers are nearly full: 7 calls were counted and not recorded, the least valuable "
      "kinds first; raise LOCKSTEP_BUFFER_MB if this goes on");
  for (uint64_t second = 12; second < 71; ++second)
    EXPECT_EQ(watch.look(second, second * kSecond), "") << second;
  EXPECT_EQ(watch.look(107, 71 * kSecond),
            "the buffers are still nearly full at times: 100 more calls were counted and not "
            "recorded in the last 60 s, 107 in all");
  EXPECT_EQ(watch.look(107, 500 * kSecond), "");
}

TEST(ShedWatch, KnowsBetweenWhichMomentsCallsWereShed) {
  ShedWatch watch(1);
  watch.look(0, 20);
  watch.look(3, 30);
  watch.look(3, 40);
  watch.look(5, 50);
  watch.look(5, 60);
  EXPECT_EQ(watch.from_raw_ns(), 20u);
  EXPECT_EQ(watch.to_raw_ns(), 50u);
}

}  // namespace
}  // namespace lockstep::dumper
