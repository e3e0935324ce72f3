#include "clocksync/solve/coinciding_ends.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <random>

#include "clocksync/wire/clock_source.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kMs = 1'000'000;

// Two clocks hours and 55 ppm apart, and an operation every 5 ms for 20 s.
class Pair {
 public:
  Pair() {
    a.offset_ns = 500'000'000'000;
    b.offset_ns = 9'000'000'000'000;
    a.skew_ppm = 20;
    b.skew_ppm = -35;
  }
  int64_t truth(int64_t at_ns) const { return b.at(at_ns) - a.at(at_ns); }
  // late(i): how long after the i-th operation's end each host sees it.
  template <typename Late>
  void record(LaterEnd later, Late late) {
    for (int64_t i = 0; i < 4'000; ++i) {
      const int64_t end_ns = i * 5 * kMs;
      const auto [a_late_ns, b_late_ns] = late(i);
      ends.add(later, a.at(end_ns + a_late_ns), b.at(end_ns + b_late_ns));
    }
  }
  // The farthest from the truth in 20 s.
  int64_t worst_ns() const {
    int64_t worst = 0;
    for (int64_t at = 0; at < 20'000 * kMs; at += 10 * kMs) {
      const auto estimate = ends.at(a.at(at));
      if (!estimate) return INT64_MAX;
      worst = std::max<int64_t>(worst, std::llabs(estimate->offset_ns - truth(at)));
    }
    return worst;
  }

  VirtualClockModel a, b;
  CoincidingEnds ends;
  std::mt19937_64 random{1};
};

using Late = std::pair<int64_t, int64_t>;

TEST(CoincidingEnds, FollowTheDriftThroughEndsThatAreNotQuiteAtOnce) {
  Pair pair;
  std::normal_distribution<double> apart(0, 50'000);
  pair.record(LaterEnd::Either, [&](int64_t) { return Late(0, std::llround(apart(pair.random))); });
  pair.ends.fit({}, 400, 100 * kMs);
  EXPECT_LT(pair.worst_ns(), 20'000);
  EXPECT_GT(pair.ends.at(pair.a.at(5'000 * kMs))->spread_ns, 1'000);
}

TEST(CoincidingEnds, AReceiverThatIsMostlyBusyDoesNotMoveTheOffset) {
  std::exponential_distribution<double> busy(1 / 20e6);
  for (const bool b_receives : {true, false}) {
    Pair pair;
    pair.record(b_receives ? LaterEnd::OfB : LaterEnd::OfA, [&](int64_t i) {
      const int64_t late_ns = i % 10 == 0 ? 5'000 : std::llround(busy(pair.random));
      return b_receives ? Late(0, late_ns) : Late(late_ns, 0);
    });
    pair.ends.fit({}, 400, 100 * kMs);
    EXPECT_LT(pair.worst_ns(), 30'000) << b_receives;
  }
}

TEST(CoincidingEnds, AThirdOfASecondThatIsDisturbedMovesNothing) {
  Pair pair;
  pair.record(LaterEnd::Either, [](int64_t i) {
    return i >= 900 && i < 970 ? Late(0, 300 * kMs) : Late(0, i % 2 == 0 ? 8'000 : -8'000);
  });
  pair.ends.fit({}, 400, 100 * kMs);
  EXPECT_LT(pair.worst_ns(), 20'000);
}

TEST(CoincidingEnds, AreNotReadAcrossAStepOfAClock) {
  Pair pair;
  pair.b.steps = {{7'001 * kMs, 900 * kMs}};
  pair.record(LaterEnd::Either, [](int64_t) { return Late(0, 0); });
  const int64_t step_ns = pair.a.at(7'001 * kMs);
  pair.ends.fit({{step_ns - 20 * kMs, step_ns + 20 * kMs, 900 * kMs, true}}, 400, 100 * kMs);
  for (const int64_t at : {6'900 * kMs, 7'110 * kMs, 15'000 * kMs})
    EXPECT_LT(std::llabs(pair.ends.at(pair.a.at(at))->offset_ns - pair.truth(at)), 6'000) << at;
}

TEST(CoincidingEnds, AFewOperationsGiveAnOffsetButNoDrift) {
  CoincidingEnds ends;
  ends.add(LaterEnd::Either, 1'000 * kMs, 1'700 * kMs);
  ends.add(LaterEnd::Either, 1'500 * kMs, 2'201 * kMs);
  ends.add(LaterEnd::Either, 2'500 * kMs, 3'201 * kMs);
  ends.fit({}, 400, 100 * kMs);
  EXPECT_EQ(ends.at(0)->offset_ns, 701 * kMs);
  EXPECT_EQ(ends.at(100'000 * kMs)->offset_ns, 701 * kMs);
}

TEST(CoincidingEnds, TellNothingWhereTheyScatterAsWidelyAsTheBoundsLieApart) {
  for (const bool widely : {true, false}) {
    Pair pair;
    std::uniform_int_distribution<int64_t> apart(-8 * kMs, 8 * kMs);
    pair.record(LaterEnd::Either, [&](int64_t) { return Late(0, apart(pair.random)); });
    pair.ends.fit({}, 400, widely ? 3 * kMs : 40 * kMs);
    EXPECT_EQ(pair.ends.at(pair.a.at(5'000 * kMs)).has_value(), !widely);
  }
}

TEST(CoincidingEnds, NoOperationsNoEstimate) {
  CoincidingEnds ends;
  ends.fit({}, 400, 100 * kMs);
  EXPECT_FALSE(ends.at(5));
}

}  // namespace
}  // namespace lockstep::clocksync
