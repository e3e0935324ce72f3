#include "clocksync/solve/difference_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace lockstep::clocksync {
namespace {

TEST(DifferenceBounds, AreTheShortestPathsThatFloydWarshallFinds) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> slack(0, 100);
  const uint32_t hosts = 12;
  std::uniform_real_distribution<double> offset(-1e5, 1e5);
  std::vector<double> truth(hosts);
  for (double& t : truth) t = offset(random);
  std::vector<DifferenceBound> bounds;
  std::vector<std::vector<double>> d(hosts, std::vector<double>(hosts, 1e300));
  for (uint32_t h = 0; h < hosts; ++h) d[h][h] = 0;
  for (int i = 0; i < 40; ++i) {
    const uint32_t a = uint32_t(random() % hosts), b = uint32_t(random() % hosts);
    if (a == b) continue;
    bounds.push_back({a, b, truth[b] - truth[a] + slack(random)});
    d[a][b] = std::min(d[a][b], bounds.back().upper_ns);
  }
  for (uint32_t k = 0; k < hosts; ++k) {
    for (uint32_t i = 0; i < hosts; ++i) {
      for (uint32_t j = 0; j < hosts; ++j) d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
    }
  }

  const DifferenceBounds graph(hosts, bounds);
  std::vector<double> x(hosts, 0.0);  // violates many: project() has work to do
  ASSERT_TRUE(graph.project(&x).empty());

  for (const DifferenceBound& b : bounds) EXPECT_LE(x[b.to] - x[b.from], b.upper_ns + 0.01);
  for (uint32_t i = 0; i < hosts; ++i) {
    const std::vector<double> from = graph.from(i, x), to = graph.to(i, x);
    for (uint32_t j = 0; j < hosts; ++j) {
      EXPECT_EQ(std::isfinite(from[j]), d[i][j] < 1e299);
      EXPECT_EQ(std::isfinite(to[j]), d[j][i] < 1e299);
      if (std::isfinite(from[j])) {
        EXPECT_NEAR(from[j], d[i][j], 0.1);
      }
      if (std::isfinite(to[j])) {
        EXPECT_NEAR(to[j], d[j][i], 0.1);
      }
    }
  }
}

TEST(DifferenceBounds, NameTheBoundsThatExcludeEachOther) {
  const DifferenceBounds graph(4, {{0, 1, 10}, {1, 2, 10}, {2, 0, -25}, {2, 3, 1}, {3, 2, 1}});
  std::vector<double> x(4, 0.0);
  std::vector<uint32_t> cycle = graph.project(&x);
  std::sort(cycle.begin(), cycle.end());
  EXPECT_EQ(cycle, (std::vector<uint32_t>{0, 1, 2}));
}

}  // namespace
}  // namespace lockstep::clocksync
