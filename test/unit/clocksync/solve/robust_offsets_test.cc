#include "clocksync/solve/robust_offsets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace lockstep::clocksync {
namespace {

// k/2 random Hamiltonian cycles over the hosts: connected and k-regular.
std::vector<MeasuredEdge> regular_graph(uint32_t hosts, int k, std::mt19937_64* random) {
  std::vector<MeasuredEdge> edges;
  std::vector<uint32_t> order(hosts);
  for (uint32_t h = 0; h < hosts; ++h) order[h] = h;
  for (int c = 0; c < k / 2; ++c) {
    std::shuffle(order.begin(), order.end(), *random);
    for (uint32_t i = 0; i < hosts; ++i) edges.push_back({order[i], order[(i + 1) % hosts], 0, 1});
  }
  return edges;
}

std::vector<double> random_offsets(uint32_t hosts, std::mt19937_64* random) {
  std::uniform_real_distribution<double> offset(-1e5, 1e5);
  std::vector<double> truth(hosts);
  for (double& t : truth) t = offset(*random);
  truth[0] = 0;
  return truth;
}

double rms_without_mean(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0, square = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] - b[i], square += (a[i] - b[i]) * (a[i] - b[i]);
  const double n = double(a.size());
  return std::sqrt(square / n - (sum / n) * (sum / n));
}

TEST(RobustOffsets, ErrPerHostAsTheoryOfRegularGraphsSaysWhateverTheNumberOfHosts) {
  for (const uint32_t hosts : {256u, 4096u}) {
    std::mt19937_64 random(hosts);
    std::normal_distribution<double> noise(0, 50);
    std::vector<MeasuredEdge> edges = regular_graph(hosts, 8, &random);
    const std::vector<double> truth = random_offsets(hosts, &random);
    for (MeasuredEdge& e : edges) e.offset_ns = truth[e.b] - truth[e.a] + noise(random);

    const RobustOffsets solved = solve_offsets(components(hosts, edges), edges);

    const double theory = 50 * std::sqrt(7.0 / (8 * 6));  // 0.382 sigma
    EXPECT_NEAR(rms_without_mean(solved.offset_ns, truth), theory, 0.12 * theory) << hosts;
  }
}

// A host half of whose edges are wrong the same way cannot be told from a right one: two in eight
// here.
TEST(RobustOffsets, IgnoreATenthOfTheEdgesBeingTenMicrosecondsWrong) {
  std::mt19937_64 random(11);
  std::normal_distribution<double> noise(0, 50);
  std::uniform_real_distribution<double> share(0, 1);
  std::vector<MeasuredEdge> edges = regular_graph(1024, 8, &random);
  const std::vector<double> truth = random_offsets(1024, &random);
  std::vector<int> wrong(1024, 0);
  int wrong_edges = 0;
  for (MeasuredEdge& e : edges) {
    e.offset_ns = truth[e.b] - truth[e.a] + noise(random);
    if (share(random) > 0.12 || wrong[e.a] == 2 || wrong[e.b] == 2) continue;
    e.offset_ns += share(random) < 0.5 ? 10'000 : -10'000;
    ++wrong[e.a], ++wrong[e.b], ++wrong_edges;
  }
  ASSERT_GT(wrong_edges, 370);

  const RobustOffsets solved = solve_offsets(components(1024, edges), edges);

  double worst_ns = 0, mean_ns = 0;
  for (size_t h = 0; h < truth.size(); ++h) mean_ns += (solved.offset_ns[h] - truth[h]) / 1024;
  for (size_t h = 0; h < truth.size(); ++h) {
    worst_ns = std::max(worst_ns, std::fabs(solved.offset_ns[h] - truth[h] - mean_ns));
  }
  EXPECT_LT(worst_ns, 350);  // plain least squares: over 2,000
}

TEST(RobustOffsets, KeepComponentsApartWithTheirSmallestHostAsZero) {
  const std::vector<MeasuredEdge> edges = {{1, 2, 10, 1}, {4, 3, -7, 1}};
  const std::vector<uint32_t> component = components(5, edges);
  EXPECT_EQ(component, (std::vector<uint32_t>{0, 1, 1, 3, 3}));
  const RobustOffsets solved = solve_offsets(component, edges);
  EXPECT_NEAR(solved.offset_ns[2], 10, 1e-6);
  EXPECT_NEAR(solved.offset_ns[4], 7, 1e-6);
  EXPECT_EQ(solved.offset_ns[0], 0);
}

}  // namespace
}  // namespace lockstep::clocksync
