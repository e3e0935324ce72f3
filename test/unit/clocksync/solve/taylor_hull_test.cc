#include "clocksync/solve/taylor_hull.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "clocksync/solve/hull.h"

namespace lockstep::clocksync {
namespace {

struct Points {
  std::vector<OffsetBound> upper, lower;
};

// Observations around theta = 3 ppm * x + 5 us, errors exponential with mean 2 us.
Points some_points(uint64_t seed, int count) {
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<int64_t> when(0, 8'000'000'000);
  std::exponential_distribution<double> late(1 / 2000.0);
  Points points;
  for (int i = 0; i < count; ++i) {
    for (const int sign : {1, -1}) {
      const int64_t x = when(random);
      const int64_t theta = 5'000 + std::llround(3e-6 * double(x));
      (sign > 0 ? points.upper : points.lower)
          .push_back({x, theta + sign * (300 + std::llround(late(random)))});
    }
  }
  const auto by_x = [](const OffsetBound& a, const OffsetBound& b) {
    return a.x_raw_ns < b.x_raw_ns;
  };
  std::sort(points.upper.begin(), points.upper.end(), by_x);
  std::sort(points.lower.begin(), points.lower.end(), by_x);
  return points;
}

// The same linear program by trying every pair of constraints.
double brute_force_hi(const Points& points, double t_s, double d) {
  struct Line {
    double u, value;
    bool upper;
  };
  std::vector<Line> lines;
  for (const auto& p : points.upper) {
    const double u = double(p.x_raw_ns) * 1e-9 - t_s;
    lines.push_back({u, double(p.offset_ns) + 1 + d * u * u / 2, true});
  }
  for (const auto& p : points.lower) {
    const double u = double(p.x_raw_ns) * 1e-9 - t_s;
    lines.push_back({u, double(p.offset_ns) - 1 - d * u * u / 2, false});
  }
  double best = -1e300;
  for (size_t i = 0; i < lines.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (lines[i].u == lines[j].u) continue;
      const double q = (lines[i].value - lines[j].value) / (lines[i].u - lines[j].u);
      const double p = lines[i].value - q * lines[i].u;
      const bool feasible = std::all_of(lines.begin(), lines.end(), [&](const Line& line) {
        const double room = line.value - p - q * line.u;
        return line.upper ? room > -1e-3 : room < 1e-3;
      });
      if (feasible) best = std::max(best, p);
    }
  }
  return best;
}

TEST(TaylorHull, FindsTheSameOptimumAsTryingEveryPairOfConstraints) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Points points = some_points(seed, 20);
    const TaylorHull hull(points.upper, points.lower, TaylorLimits());
    const double t_s = 0.4 * double(seed);
    const auto answer = hull.at(std::llround(t_s * 1e9));
    ASSERT_TRUE(answer) << seed;
    EXPECT_NEAR(double(answer->hi_ns), brute_force_hi(points, t_s, 100), 1.1) << seed;
  }
}

// It begins with what decided the answer before.
TEST(TaylorHull, AnswersAlikeWhateverItWasAskedBefore) {
  constexpr int64_t kStepNs = 250'000'000;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Points points = some_points(seed, 60);
    const TaylorHull walked(points.upper, points.lower, {});
    for (const int64_t step : {0, 1, 2, 3, 30, 5, 31, 29, 28, 0, 16}) {
      const auto after = walked.at(step * kStepNs);
      const auto first = TaylorHull(points.upper, points.lower, {}).at(step * kStepNs);
      ASSERT_TRUE(after && first) << seed;
      EXPECT_LE(std::llabs(after->lo_ns - first->lo_ns), 1) << seed << " at step " << step;
      EXPECT_LE(std::llabs(after->hi_ns - first->hi_ns), 1) << seed << " at step " << step;
    }
  }
}

TEST(TaylorHull, ReportsContradictingObservations) {
  const TaylorHull hull({{0, 100}}, {{0, 200}}, TaylorLimits());
  EXPECT_FALSE(hull.at(0));
  EXPECT_FALSE(hull.consistent(0, -1, 1));
  EXPECT_TRUE(hull.consistent(0, 5, 6));
}

TEST(TaylorHull, BoundsTheSlopeWhenOneInstantIsAllThereIs) {
  const TaylorHull hull({{0, 1000}}, {{0, -1000}}, TaylorLimits());
  const auto answer = hull.at(1'000'000'000);
  ASSERT_TRUE(answer);
  EXPECT_NEAR(double(answer->hi_ns), 1000 + 400'000 + 50, 3);
  EXPECT_NEAR(double(answer->lo_ns), -1000 - 400'000 - 50, 3);
}

}  // namespace
}  // namespace lockstep::clocksync
