#include "clocksync/solve/hull.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "clocksync/solve/taylor_hull.h"

namespace lockstep::clocksync {
namespace {

TEST(HullReduction, KeepsWhatBindsAndDropsTheRest) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> late(1 / 3000.0);
  std::vector<HullPoint> points;
  for (int i = 0; i < 300; ++i) {
    const int64_t tx = 1'700'000'000'000'000'000 + i * 330'000;
    points.push_back(
        {tx, -5'000'000'000 + i * 12 + std::llround(late(random)), StampKind::Kernel, 20});
  }
  std::shuffle(points.begin(), points.end(), random);
  points.push_back(points.front());

  const std::vector<HullPoint> hull = reduce_to_hull(points);

  EXPECT_LT(hull.size(), 20u);
  // Any clock-like line below the hull's points is below all points.
  for (double slope_ppm = -400; slope_ppm <= 400; slope_ppm += 20) {
    const auto room = [&](const HullPoint& p) {
      return double(p.delta_ns + 5'000'000'000) -
             slope_ppm * 1e-6 * double(p.tx_raw_ns - 1'700'000'000'000'000'000);
    };
    const auto less = [&](const HullPoint& a, const HullPoint& b) { return room(a) < room(b); };
    EXPECT_NEAR(room(*std::min_element(hull.begin(), hull.end(), less)),
                room(*std::min_element(points.begin(), points.end(), less)), 1e-6);
  }
  EXPECT_TRUE(reduce_to_hull({}).empty());
}

TEST(HullReduction, LosesLessThanAFifthOfANanosecondOfTheInterval) {
  std::vector<OffsetBound> all_upper, hull_upper, lower;
  std::mt19937_64 random(3);
  std::exponential_distribution<double> late(1 / 500.0);
  for (int bin = 0; bin < 80; ++bin) {
    std::vector<HullPoint> points;
    for (int i = 0; i < 200; ++i) {
      const int64_t tx = bin * kHullBinNs + i * 500'000;
      points.push_back({tx, 250 + std::llround(late(random)), StampKind::Kernel, 0});
      all_upper.push_back({tx, points.back().delta_ns});
      lower.push_back({tx, -250 - std::llround(late(random))});
    }
    for (const HullPoint& p : reduce_to_hull(points))
      hull_upper.push_back({p.tx_raw_ns, p.delta_ns});
  }
  const TaylorHull all(all_upper, lower, TaylorLimits());
  const TaylorHull reduced(hull_upper, lower, TaylorLimits());
  for (int64_t t = 0; t < 80 * kHullBinNs; t += 270'000'000) {
    EXPECT_LE(reduced.at(t)->hi_ns - all.at(t)->hi_ns, 1) << t;  // 0.13 ns, rounded up to whole ns
    EXPECT_GE(reduced.at(t)->hi_ns, all.at(t)->hi_ns) << t;
  }
}

}  // namespace
}  // namespace lockstep::clocksync
