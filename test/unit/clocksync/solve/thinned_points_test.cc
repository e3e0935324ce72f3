#include "clocksync/solve/thinned_points.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "clocksync/solve/hull.h"

namespace lockstep::clocksync {
namespace {

using Corner = std::tuple<int64_t, int64_t>;

std::vector<Corner> corners_of(const std::vector<HullPoint>& points) {
  std::vector<Corner> corners;
  for (const HullPoint& p : points) corners.emplace_back(p.tx_raw_ns, p.delta_ns);
  return corners;
}

// Each bin's hull, made of all its points at once.
std::vector<Corner> expected(const std::vector<Corner>& sent) {
  std::map<int64_t, std::vector<HullPoint>> bins;
  for (const auto& [at, delta] : sent)
    bins[at / kHullBinNs].push_back({at, delta, StampKind::None, 0});
  std::vector<Corner> all;
  for (const auto& bin : bins) {
    for (const Corner& corner : corners_of(reduce_to_hull(bin.second))) all.push_back(corner);
  }
  return all;
}

std::vector<Corner> random_points(size_t count, int64_t length_ns) {
  std::mt19937_64 random(5);
  std::vector<Corner> points;
  for (size_t i = 0; i < count; ++i)
    points.emplace_back(int64_t(random() % uint64_t(length_ns)), int64_t(random() % 5'000));
  return points;
}

TEST(ThinnedPoints, AreTheHullOfEachBinInWhateverOrderTheyCame) {
  std::vector<Corner> points = random_points(3'000, 40 * kHullBinNs);
  for (const bool in_order : {false, true}) {
    if (in_order) std::sort(points.begin(), points.end());
    ThinnedPoints thinned;
    for (const auto& [at, delta] : points) thinned.add(at, at + delta);
    EXPECT_EQ(corners_of(thinned.take()), expected(points)) << in_order;
    EXPECT_TRUE(thinned.empty());
  }
}

// As from channels that are looked at one after another.
TEST(ThinnedPoints, AreThatWhereTheLastOfABinComeALittleLate) {
  std::mt19937_64 random(6);
  std::vector<Corner> points;
  for (int64_t i = 0; i < 30'000; ++i)
    points.emplace_back(i * (kHullBinNs / 30), int64_t(random() % 5'000));
  for (size_t i = 0; i + 3 < points.size(); i += 7) std::swap(points[i], points[i + 3]);
  ThinnedPoints thinned;
  for (const auto& [at, delta] : points) thinned.add(at, at + delta);
  const auto is_earlier = [](const HullPoint& a, const HullPoint& b) {
    return a.tx_raw_ns / kHullBinNs < b.tx_raw_ns / kHullBinNs;
  };
  EXPECT_TRUE(std::is_sorted(thinned.points().begin(), thinned.points().end(), is_earlier));
  EXPECT_EQ(corners_of(thinned.take()), expected(points));
}

// Putting bins together moves the last one that came to its place among the others.
TEST(ThinnedPoints, AreThatAlsoOfABinThatComesAfterOthersWerePutTogether) {
  std::vector<Corner> points;
  ThinnedPoints thinned;
  const auto add = [&](int64_t at, int64_t delta) {
    points.emplace_back(at, delta);
    thinned.add(at, at + delta);
  };
  for (int64_t i = 0; i < 8'192; ++i) {  // what comes next finds them too many
    for (const int64_t bin : {5, 3}) add(bin * kHullBinNs + i * 1'000, i % 1'000);
  }
  for (int64_t i = 0; i < 10; ++i) add(4 * kHullBinNs + i * 1'000, i);
  const std::vector<Corner> all = expected(points);
  EXPECT_EQ(corners_of(thinned.take()), all);
}

TEST(ThinnedPoints, GrowWithTimeAndNotWithEvents) {
  const std::vector<Corner> points = random_points(300'000, 4 * kHullBinNs);
  ThinnedPoints in_any_order, in_order;
  std::vector<Corner> sorted = points;
  std::sort(sorted.begin(), sorted.end());
  size_t most = 0;
  for (size_t i = 0; i < points.size(); ++i) {
    in_any_order.add(std::get<0>(points[i]), std::get<0>(points[i]) + std::get<1>(points[i]));
    in_order.add(std::get<0>(sorted[i]), std::get<0>(sorted[i]) + std::get<1>(sorted[i]));
    most = std::max(most, in_any_order.points().size());
  }
  EXPECT_LT(most, 20'000u);
  EXPECT_LT(in_order.points().size(), 600u);
}

TEST(ThinnedPoints, AddThoseOfAnother) {
  const std::vector<Corner> points = random_points(500, 10 * kHullBinNs);
  ThinnedPoints a, b;
  for (size_t i = 0; i < points.size(); ++i)
    (i % 2 == 0 ? a : b)
        .add(std::get<0>(points[i]), std::get<0>(points[i]) + std::get<1>(points[i]));
  a.add(b);
  EXPECT_EQ(corners_of(a.take()), expected(points));
}

}  // namespace
}  // namespace lockstep::clocksync
