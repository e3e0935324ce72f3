// Collectives of seven hosts that go up and down two trees, one on each channel, with edges that are slow.
#include "analysis/paths/tree_excess.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "test/unit/analysis/paths/played_tree.h"

namespace lockstep::analysis {
namespace {

//   3         0
//  1 5       2 4
// 0 2 4 6   1 3 5 6
const Parents kFirst{1, 3, 1, -1, 5, 3, 5}, kSecond{-1, 2, 0, 2, 0, 4, 4};
constexpr int kOperations = 24;

struct TwoTrees {
  TwoTrees() : first(kFirst), second(kSecond) {}
  std::vector<TransferExcess> judge() const {
    RunTables run;
    OwnSegments own;
    for (uint32_t host = 0; host < first.parents.size(); ++host) {
      run.processes.emplace_back().host = host + 1;
      own.actors.emplace_back().process = host;
    }
    std::vector<TreeSeries> series{series_of(first, 0, kOperations),
                                   series_of(second, second_channel, kOperations)};
    series[0].communicator = 0;
    series[1].communicator = second_communicator;
    return excesses_of_trees(run, own, series);
  }
  using Edges = std::set<std::pair<uint32_t, uint32_t>>;
  static Edges edges_of(const std::vector<TransferExcess>& excesses, uint8_t channel) {
    Edges edges;
    for (const TransferExcess& one : excesses)
      if (one.channel == channel) edges.emplace(one.actors.at(0), one.actors.at(1));
    return edges;
  }
  PlayedTree first, second;
  uint8_t second_channel = 1;
  uint32_t second_communicator = 0;
};

TEST(TreeExcess, SaysNothingOfEdgesThatAreAlike) { EXPECT_TRUE(TwoTrees().judge().empty()); }

TEST(TreeExcess, NamesTheEdgeUpThatIsSlowAndNoneThatWaitsForIt) {
  TwoTrees trees;
  trees.first.slow_us[{1, 3}] = 250;
  const std::vector<TransferExcess> found = trees.judge();
  EXPECT_EQ(TwoTrees::edges_of(found, 0), (TwoTrees::Edges{{1, 3}}));
  EXPECT_TRUE(TwoTrees::edges_of(found, 1).empty());
}

TEST(TreeExcess, NamesTheEdgeDownToALeafThatIsSlowAndNoneThatFeedsIt) {
  TwoTrees trees;
  trees.second.slow_us[{4, 6}] = 250;
  EXPECT_EQ(TwoTrees::edges_of(trees.judge(), 1), (TwoTrees::Edges{{4, 6}}));
}

// Host 1 is in the middle of one tree and at the end of the other.
TEST(TreeExcess, NamesOnlyEdgesOfTheHostWhoseWaysAreSlow) {
  TwoTrees trees;
  for (const int other : {0, 2, 3})
    trees.first.slow_us[{1, other}] = trees.first.slow_us[{other, 1}] = 250;
  trees.second.slow_us[{1, 2}] = trees.second.slow_us[{2, 1}] = 250;
  const std::vector<TransferExcess> found = trees.judge();
  EXPECT_EQ(TwoTrees::edges_of(found, 1), (TwoTrees::Edges{{2, 1}}));
  EXPECT_GE(TwoTrees::edges_of(found, 0).size(), 2u);
  for (const auto& [from, to] : TwoTrees::edges_of(found, 0)) EXPECT_TRUE(from == 1 || to == 1);
}

TEST(TreeExcess, CostsWhatTheOperationTakesLonger) {
  TwoTrees trees;
  trees.first.slow_us[{1, 3}] = 250;
  const std::vector<TransferExcess> found = trees.judge();
  ASSERT_EQ(found.size(), 1u);
  const int64_t longer_us = trees.first.took_us() - TwoTrees().first.took_us();
  EXPECT_NEAR(static_cast<double>(found[0].excess_ns), static_cast<double>(longer_us * kUs),
              0.2 * static_cast<double>(longer_us * kUs));
  EXPECT_NEAR(static_cast<double>(found[0].usual_ns),
              static_cast<double>(TwoTrees().first.took_us() * kUs),
              0.2 * static_cast<double>(longer_us * kUs));
  EXPECT_TRUE(found[0].steady);
  EXPECT_TRUE(found[0].sure);
}

// What others had sent waits for it, over edges that are as fast as ever.
TEST(TreeExcess, IsSureOfNothingWhereAHostBeginsLate) {
  for (const size_t late : {size_t{1}, size_t{3}, size_t{6}}) {
    TwoTrees trees;
    trees.first.start_us[late] = trees.second.start_us[late] = 20'000;
    for (const TransferExcess& one : trees.judge()) EXPECT_FALSE(one.sure) << late;
  }
}

// Of two hosts each way is the only one in its direction, but other communicators have such a one.
TEST(TreeExcess, SaysNothingOfTwoHostsUnlessOtherCommunicatorsTell) {
  TwoTrees trees;
  trees.first = PlayedTree({-1, 0});
  trees.first.slow_us[{0, 1}] = 400;
  trees.second = PlayedTree({1, -1});
  EXPECT_TRUE(trees.judge().empty());
  trees.second_communicator = 1;
  EXPECT_TRUE(trees.judge().empty());
  trees.second = PlayedTree({-1, 0});
  trees.second_communicator = 0;
  EXPECT_TRUE(trees.judge().empty());
  trees.second_communicator = 1;
  EXPECT_EQ(TwoTrees::edges_of(trees.judge(), 0), (TwoTrees::Edges{{0, 1}}));
}

// However late a host begins.
TEST(TreeExcess, IsSureWhereOtherCommunicatorsTakeLessTime) {
  TwoTrees trees;
  trees.second = trees.first;
  trees.second_channel = 0;
  trees.second_communicator = 1;
  trees.first.slow_us[{5, 6}] = 250;
  trees.first.start_us[6] = trees.second.start_us[6] = 20'000;
  const std::vector<TransferExcess> found = trees.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{5, 6}));
  EXPECT_TRUE(found[0].sure);
  EXPECT_NEAR(static_cast<double>(found[0].excess_ns) / static_cast<double>(kUs),
              static_cast<double>(trees.first.took_us() - trees.second.took_us()), 5);
}

// The buffers that a late start fills hold eight steps.
TEST(TreeExcess, IsSureBesideALateStartOfWhatNoFullBuffersExplain) {
  TwoTrees trees;
  trees.first.start_us[6] = trees.second.start_us[6] = 20'000;
  trees.first.steps = trees.second.steps = 16;
  trees.first.slow_us[{1, 3}] = 1'000;
  const std::vector<TransferExcess> found = trees.judge();
  const auto sure = [](const TransferExcess& one) { return one.sure; };
  ASSERT_EQ(std::count_if(found.begin(), found.end(), sure), 1);
  EXPECT_EQ(std::find_if(found.begin(), found.end(), sure)->actors, (std::vector<uint32_t>{1, 3}));
}

}  // namespace
}  // namespace lockstep::analysis
