// Which of a ring's edges shows most, step after step, and how likely chance makes it the same one.
#include "analysis/paths/moment_chance.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kEdges = 8, kOperationsInStep = 3;
constexpr size_t kUsualStep = kEdges;  // no edge is slow in that step

// Eight ranks, each on a host of its own. In a slow step all operations are slow because of one edge, whose
// receiver ends 5 ms after its sender, where others end at once.
struct SlowSteps {
  RingSeries series;
  std::vector<uint32_t> slow, step_of;
  std::vector<UsualEdge> usual{kEdges};

  explicit SlowSteps(const std::vector<size_t>& edge_of_step) {
    for (uint32_t i = 0; i < kEdges; ++i) {
      EdgeSamples& edge = series.edges.emplace_back();
      edge.from = i;
      edge.to = (i + 1) % kEdges;
      edge.network = true;
      usual[i].later_ns = 0;
    }
    for (size_t step = 0; step < edge_of_step.size(); ++step) {
      for (size_t i = 0; i < kOperationsInStep; ++i) add(edge_of_step[step], step);
    }
  }
  void add(size_t slow_edge, size_t step) {
    const auto match = static_cast<uint32_t>(series.matches.size());
    series.matches.push_back(match);
    if (slow_edge != kUsualStep) slow.push_back(match);
    step_of.push_back(static_cast<uint32_t>(step));
    for (size_t edge = 0; edge < kEdges; ++edge)
      series.edges[edge].later.push_back(edge == slow_edge ? 5'000 * kUs : -10 * kUs);
  }
  double chance_of(uint32_t from) const {
    TransferExcess found;
    found.side = SlowSide::SenderOrLink;
    found.actors = {from, static_cast<uint32_t>((from + 1) % kEdges)};
    return chance_of_moments(series, found, usual, slow, step_of);
  }
};

TEST(MomentChance, IsSmallWhereOneEdgeIsSlowInAllSlowSteps) {
  EXPECT_LT(SlowSteps({2, 2, 2, 2}).chance_of(2), 0.01);
}

// Their ends tell nothing: its proxy thread is told by when it sees steps.
TEST(MomentChance, OfALateProxyThreadIsByItsSteps) {
  SlowSteps steps({2, 2, 2, 2});
  for (size_t i = 0; i < kEdges; ++i) {
    EdgeSamples& edge = steps.series.edges[i];
    edge.uptake = edge.later;
    edge.lag.assign(edge.later.size(), 0);
    steps.usual[i].uptake_ns = steps.usual[i].lag_ns = 0;
  }
  TransferExcess found;
  found.side = SlowSide::ReceiverProxy;
  found.actors = {2, 3};
  EXPECT_LT(chance_of_moments(steps.series, found, steps.usual, steps.slow, steps.step_of), 0.01);
}

TEST(MomentChance, IsLargeWhereSeveralEdgesTakeTurns) {
  EXPECT_EQ(SlowSteps({2, 5, 2, 7, 0}).chance_of(2), 1);
}

TEST(MomentChance, CountsAStepOnceHoweverManyOperationsItHas) {
  SlowSteps once({2});
  for (int i = 0; i < 20; ++i) once.add(2, 0);
  EXPECT_EQ(once.chance_of(2), 1);
}

// Of 30 steps those in which edge 2 is slow.
SlowSteps slow_in(const std::vector<size_t>& steps) {
  std::vector<size_t> edge_of_step(30, kUsualStep);
  for (const size_t step : steps) edge_of_step[step] = 2;
  return SlowSteps(edge_of_step);
}

TEST(MomentChance, FallsWhereSlowStepsFollowEachOther) {
  EXPECT_LT(slow_in({10, 11, 12}).chance_of(2), slow_in({3, 11, 25}).chance_of(2) / 5);
}

TEST(MomentChance, StaysCertaintyForSeveralEdgesInStepsThatFollowEachOther) {
  std::vector<size_t> edge_of_step(30, kUsualStep);
  edge_of_step[10] = 2;
  edge_of_step[11] = 5;
  edge_of_step[12] = 7;
  EXPECT_EQ(SlowSteps(edge_of_step).chance_of(2), 1);
}

TEST(MomentChance, IsCertaintyForAnEdgeThatShowsNothingFarFromTheOneThatDoes) {
  EXPECT_EQ(SlowSteps({2, 2, 2, 2}).chance_of(5), 1);
}

TEST(MomentChance, IsThatOfItsNeighborForAnEdgeThatShowsNothing) {
  EXPECT_LT(SlowSteps({2, 2, 2, 2}).chance_of(3), 0.01);
}

// Data comes into a host at one of its ranks and leaves it at another.
TEST(MomentChance, IsThatOfTheWayIntoItsHostForAWayOutThatShowsNothing) {
  SlowSteps steps({2, 2, 2, 2});
  constexpr uint32_t kLastOfHost = 100;
  for (EdgeSamples& edge : steps.series.edges) edge.from += kLastOfHost;
  TransferExcess found;
  found.side = SlowSide::SenderOrLink;
  found.actors = {kLastOfHost + 3, 4};
  EXPECT_LT(chance_of_moments(steps.series, found, steps.usual, steps.slow, steps.step_of), 0.01);
}

TEST(MomentChance, IsNotAskedOfWhatIsNoEdge) {
  const SlowSteps steps({2, 5, 2, 7, 0});
  TransferExcess anybody;
  anybody.actors = {0, 1, 2, 3, 4, 5, 6, 7};
  EXPECT_EQ(chance_of_moments(steps.series, anybody, steps.usual, steps.slow, steps.step_of), 0);
}

}  // namespace
}  // namespace lockstep::analysis
