// The simulator's random numbers: the distributions they are named after, from nothing but their place.
#include <gtest/gtest.h>

#include <cmath>

#include "test/drivers/simulate/random.h"

namespace lockstep::simulate {
namespace {

TEST(SimulateRandom, LogarithmAndExponentialAgreeWithTheLibrary) {
  for (double x = 1e-9; x < 1e9; x *= 1.37) {
    EXPECT_NEAR(exact_log(x), std::log(x), 1e-12 * std::fabs(std::log(x)) + 1e-13) << x;
  }
  for (double x = 1e-9; x < 600; x *= 1.37) {
    EXPECT_NEAR(exact_exp(x) / std::exp(x), 1, 1e-11) << x;
    EXPECT_NEAR(exact_exp(-x) / std::exp(-x), 1, 1e-11) << x;
  }
}

TEST(SimulateRandom, NormalNumbersHaveMeanZeroAndVarianceOne) {
  const Random random(1);
  constexpr int kDraws = 100'000;
  double sum = 0, squares = 0;
  int beyond_three = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.normal(Draw::HostTime, static_cast<uint64_t>(i));
    sum += x;
    squares += x * x;
    beyond_three += std::fabs(x) > 3 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kDraws, 0, 0.01);
  EXPECT_NEAR(squares / kDraws, 1, 0.02);
  EXPECT_NEAR(beyond_three, 270, 60);
}

TEST(SimulateRandom, ANumberDependsOnItsPlaceAndPurposeOnly) {
  const Random first(1), same(1), other(2);
  EXPECT_EQ(first.bits(Draw::Clock, 1, 2, 3), same.bits(Draw::Clock, 1, 2, 3));
  EXPECT_NE(first.bits(Draw::Clock, 1, 2, 3), other.bits(Draw::Clock, 1, 2, 3));
  EXPECT_NE(first.bits(Draw::Clock, 1, 2, 3), first.bits(Draw::Poll, 1, 2, 3));
  EXPECT_NE(first.bits(Draw::Clock, 1, 2, 3), first.bits(Draw::Clock, 1, 3, 2));
}

}  // namespace
}  // namespace lockstep::simulate
