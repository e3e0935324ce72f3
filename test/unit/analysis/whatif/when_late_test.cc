// What is said of when in the run a culprit was late.
#include "analysis/whatif/when_late.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int64_t kRunNs = 10'000 * int64_t(kMs);

// 5 ms late once in each `every_ms`, for the whole run.
LatePattern late_every(int64_t every_ms, uint64_t launches, uint64_t rounds) {
  std::vector<LateMoment> moments;
  for (int64_t at_ns = 50 * int64_t(kMs); at_ns < kRunNs; at_ns += every_ms * int64_t(kMs))
    moments.push_back({at_ns, 5 * int64_t(kMs)});
  return pattern_of(moments, 0, kRunNs, launches, rounds);
}

TEST(WhenLate, IsPeriodicAtLongerPeriodsThanThatOfTheCalls) {
  EXPECT_EQ(late_every(800, 1'000, 100).when, WhenLate::Periodic);
  EXPECT_EQ(late_every(800, 1'000, 100).period_ns, 800 * int64_t(kMs));
  EXPECT_EQ(late_every(100, 1'000, 100).when, WhenLate::Throughout);
  EXPECT_EQ(late_every(100, 1'000, 1'000).when, WhenLate::Periodic);
}

TEST(RoundOfCalls, IsAfterHowManyNearlyAllComeAgain) {
  std::vector<uint64_t> calls;
  for (unsigned step = 0; step < 20; ++step) {
    for (const unsigned call : {7u, 7u, 7u, 8u, 9u, 9u}) calls.push_back(call);
  }
  EXPECT_EQ(round_of(calls), 6u);
  calls[33] = 1;  // something else, once
  EXPECT_EQ(round_of(calls), 6u);
}

TEST(RoundOfCalls, IsOneCallWhereAllAreAlikeOrNothingComesAgain) {
  EXPECT_EQ(round_of(std::vector<uint64_t>(50, 7)), 1u);
  EXPECT_EQ(round_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), 1u);
  EXPECT_EQ(round_of({}), 1u);
}

}  // namespace
}  // namespace lockstep::analysis
