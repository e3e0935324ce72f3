// Collectives of six or seven hosts that go up and down two trees, one on each channel, with edges that are slow.
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
constexpr int kOperations = 60, kOfAStep = 3;

struct TwoTrees {
  TwoTrees() : TwoTrees(kFirst, kSecond) {}
  TwoTrees(const Parents& above_first, const Parents& above_second)
      : first(above_first), second(above_second) {}
  std::vector<TransferExcess> judge() const {
    RunTables run;
    OwnSegments own;
    for (uint32_t host = 0; host < first.parents.size(); ++host) {
      run.processes.emplace_back().host = host + 1;
      own.actors.emplace_back().process = host;
      MemberRow& member = run.members.emplace_back();
      member.rank = static_cast<int32_t>(host);
      member.process = host;
    }
    run.communicators.resize(2);
    for (CommunicatorRow& comm : run.communicators)
      comm.members = static_cast<uint32_t>(run.members.size());
    std::vector<TreeSeries> series{series_of(first, 0, kOperations),
                                   series_of(second, second_channel, kOperations)};
    series[0].communicator = 0;
    series[1].communicator = second_communicator;
    if (!slow_at_times.empty()) mix_in(&series[0]);
    std::vector<uint32_t> step_of(kOperations);
    for (uint32_t m = 0; m < step_of.size(); ++m) step_of[m] = m / kOfAStep;
    return excesses_of_trees(run, own, series, step_of);
  }
  // Every fourth step is slow, as one tree after the other.
  void mix_in(TreeSeries* usual) const {
    for (size_t m = 0; m < usual->matches.size(); ++m) {
      const size_t step = m / kOfAStep;
      if (step % 4 < 3) continue;
      const TreeSeries slow =
          series_of(slow_at_times[step / 4 % slow_at_times.size()], 0, kOperations);
      for (size_t edge = 0; edge < slow.edges.size(); ++edge) {
        usual->edges[edge].sent[m] = slow.edges[edge].sent[m];
        usual->edges[edge].received[m] = slow.edges[edge].received[m];
      }
    }
  }
  using Edges = std::set<std::pair<uint32_t, uint32_t>>;
  static Edges edges_of(const std::vector<TransferExcess>& excesses, uint8_t channel) {
    Edges edges;
    for (const TransferExcess& one : excesses)
      if (one.channel == channel) edges.emplace(one.actors.at(0), one.actors.at(1));
    return edges;
  }
  PlayedTree first, second;
  std::vector<PlayedTree> slow_at_times;  // of the first
  uint8_t second_channel = 1;
  uint32_t second_communicator = 0;
};

PlayedTree all_slower(const PlayedTree& tree, int64_t times) {
  PlayedTree made = tree;
  for (int host = 0; host < static_cast<int>(tree.parents.size()); ++host) {
    for (const auto& edge :
         {std::pair(host, tree.above(host)), std::pair(tree.above(host), host)}) {
      const auto slow = tree.slow_us.find(edge);
      made.slow_us[edge] =
          times * (slow != tree.slow_us.end() ? slow->second : PlayedTree::kStepUs);
    }
  }
  return made;
}

TEST(TreeExcess, SaysNothingOfEdgesThatAreAlike) { EXPECT_TRUE(TwoTrees().judge().empty()); }

TEST(TreeExcess, NamesTheEdgeUpThatIsSlowAndNoneThatWaitsForIt) {
  TwoTrees trees;
  trees.first.slow_us[{1, 3}] = 250;
  const std::vector<TransferExcess> found = trees.judge();
  EXPECT_EQ(TwoTrees::edges_of(found, 0), (TwoTrees::Edges{{1, 3}}));
  EXPECT_TRUE(TwoTrees::edges_of(found, 1).empty());
  ASSERT_FALSE(found.empty());
  EXPECT_GE(found.front().across_ns, 250 * kUs) << "by the clocks of both hosts";
  EXPECT_FALSE(found.front().usual_across);
  EXPECT_TRUE(found.front().of_tree);
}

TEST(TreeExcess, NamesTheEdgeDownToALeafThatIsSlowAndNoneThatFeedsIt) {
  TwoTrees trees;
  trees.second.slow_us[{4, 6}] = 250;
  EXPECT_EQ(TwoTrees::edges_of(trees.judge(), 1), (TwoTrees::Edges{{4, 6}}));
}

// Host 2 sends the last data to both hosts below it as slowly, over an adapter that these share: what host 0 sends to it
// waits for room.
TEST(TreeExcess, SaysNothingOfAnEdgeThatWaitsBehindTwoAsSlowAsItself) {
  const Parents parents{-1, 2, 0, 2};
  TwoTrees trees(parents, parents);
  for (PlayedTree* tree : {&trees.first, &trees.second})
    tree->slow_us[{2, 1}] = tree->slow_us[{2, 3}] = 250;
  EXPECT_TRUE(trees.judge().empty());
  trees.first.slow_us[{2, 3}] = 900;
  EXPECT_EQ(TwoTrees::edges_of(trees.judge(), 0), (TwoTrees::Edges{{2, 3}}));
}

TEST(TreeExcess, NamesTheEdgeWhoseNetworkStepsTakeLongerWhateverTheEndsSay) {
  TwoTrees trees;
  trees.first.wire_us[{0, 1}] = 150;
  trees.second.wire_us[{0, 2}] = PlayedTree::kStepUs;
  const std::vector<TransferExcess> found = trees.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(TwoTrees::edges_of(found, 0), (TwoTrees::Edges{{0, 1}}));
  EXPECT_EQ(found[0].side, SlowSide::Link);
  EXPECT_FALSE(found[0].of_tree);
  EXPECT_EQ(found[0].excess_ns, trees.first.steps * 50 * kUs);
}

TEST(TreeExcess, CostsNoMoreThanTheOtherTreeTakesLessWhereNetworkStepsTakeLonger) {
  TwoTrees trees;
  trees.first.steps = 64;
  trees.second.steps = 48;
  trees.first.wire_us[{0, 1}] = 190;
  trees.second.wire_us[{0, 2}] = PlayedTree::kStepUs;
  const std::vector<TransferExcess> found = trees.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(static_cast<double>(found[0].excess_ns),
              static_cast<double>((trees.first.took_us() - trees.second.took_us()) * kUs),
              static_cast<double>(5 * kUs));
}

// Those that NCCL makes of six hosts: the second is the first mirrored. And of seven, where it is shifted by one.
const Parents kOfSix{-1, 2, 4, 2, 0, 4}, kMirrored{1, 5, 3, 1, 3, -1};
const Parents kOfSeven{-1, 2, 4, 2, 0, 6, 4}, kShifted{5, -1, 3, 5, 3, 1, 0};

// Of these, only one edge of each tree goes up to a host by itself.
TEST(TreeExcess, SaysNothingOfNetworkStepsOverEdgesThatFewAreLike) {
  for (const bool by_itself : {true, false}) {
    TwoTrees six(kOfSix, kMirrored);
    six.first.wire_us[by_itself ? std::pair(4, 0) : std::pair(1, 2)] = 150;
    six.second.wire_us[{5, 1}] = PlayedTree::kStepUs;
    EXPECT_EQ(six.judge().empty(), by_itself);
  }
}

TEST(TreeExcess, SaysNothingOfWhatTakesLongAtTheSamePlaceOfBothTrees) {
  TwoTrees six(kOfSix, kMirrored);
  six.first.slow_us[{0, 4}] = six.second.slow_us[{5, 1}] = 250;
  EXPECT_TRUE(six.judge().empty());
  TwoTrees seven(kOfSeven, kShifted);
  seven.first.slow_us[{0, 4}] = seven.second.slow_us[{1, 5}] = 250;
  EXPECT_TRUE(seven.judge().empty());
}

TEST(TreeExcess, NamesWhatTakesLongInOneOfThemOnly) {
  TwoTrees six(kOfSix, kMirrored);
  six.first.slow_us[{0, 4}] = 250;
  EXPECT_EQ(TwoTrees::edges_of(six.judge(), 0), (TwoTrees::Edges{{0, 4}}));
  TwoTrees seven(kOfSeven, kShifted);
  seven.second.slow_us[{1, 5}] = 250;
  EXPECT_EQ(TwoTrees::edges_of(seven.judge(), 1), (TwoTrees::Edges{{1, 5}}));
}

// Host 3 is at the end of both edges.
TEST(TreeExcess, NamesWhatTakesLongInBothWhereOneHostExplainsIt) {
  TwoTrees seven(kOfSeven, kShifted);
  seven.first.slow_us[{2, 3}] = seven.second.slow_us[{3, 4}] = 250;
  EXPECT_FALSE(seven.judge().empty());
}

TEST(TreeExcess, TellsAReceiverThatTakesUpLateFromASlowWayToIt) {
  for (const bool receiver : {true, false}) {
    TwoTrees trees;
    if (receiver)
      trees.second.takes_us[6] = 250;
    else
      trees.second.slow_us[{4, 6}] = 250;
    const std::vector<TransferExcess> found = trees.judge();
    ASSERT_EQ(found.size(), 1u) << receiver;
    EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{4, 6}));
    EXPECT_EQ(found[0].side, receiver ? SlowSide::Receiver : SlowSide::SenderOrLink);
  }
}

// What goes up to the root waits there for any of its ranks.
TEST(TreeExcess, DoesNotTellWhoIsLateToTakeUpWhatGoesUp) {
  TwoTrees trees;
  trees.first.takes_us[3] = 250;
  const std::vector<TransferExcess> found = trees.judge();
  EXPECT_FALSE(found.empty());
  for (const TransferExcess& one : found) EXPECT_EQ(one.side, SlowSide::SenderOrLink);
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

// Nothing feeds it, but its channel takes longer than the other, and what host 2 sends waits for it.
TEST(TreeExcess, NamesTheEdgeUpFromALeafForWhichOthersWait) {
  TwoTrees trees;
  trees.first.slow_us[{0, 1}] = 250;
  const std::vector<TransferExcess> found = trees.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{0, 1}));
  const int64_t longer_us = trees.first.took_us() - trees.second.took_us();
  EXPECT_NEAR(static_cast<double>(found[0].excess_ns), static_cast<double>(longer_us * kUs), 10e3);
  EXPECT_TRUE(found[0].sure);
}

TEST(TreeExcess, NamesNeitherOfTwoLeavesThatAreAsSlow) {
  TwoTrees trees;
  trees.first.slow_us[{0, 1}] = 250;
  trees.first.slow_us[{2, 1}] = 253;
  EXPECT_TRUE(trees.judge().empty());
}

//               7
//       3               11
//   1       5       9       13
// 0   2   4   6   8  10   12  14
const Parents kDeep{1, 3, 1, 7, 5, 3, 5, -1, 9, 11, 9, 7, 13, 11, 13};

// What hosts 8, 10, 12 and 14 send waits for room as well, behind edges that wait for host 3.
TEST(TreeExcess, SaysNothingOfWhatWaitsFarFromTheSlowEdge) {
  TwoTrees trees;
  trees.first = trees.second = PlayedTree(kDeep);
  trees.first.steps = trees.second.steps = 24;
  trees.first.slow_us[{0, 1}] = 250;
  const std::vector<TransferExcess> found = trees.judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].actors, (std::vector<uint32_t>{0, 1}));
}

TEST(TreeExcess, ComparesBothDirectionsOfTwoHosts) {
  TwoTrees trees;
  trees.first = PlayedTree({-1, 0});
  trees.second = PlayedTree({1, -1});
  EXPECT_TRUE(trees.judge().empty());
  trees.first.slow_us[{0, 1}] = trees.second.slow_us[{0, 1}] = 400;
  EXPECT_EQ(TwoTrees::edges_of(trees.judge(), 0), (TwoTrees::Edges{{0, 1}}));
  EXPECT_TRUE(TwoTrees::edges_of(trees.judge(), 1).empty());
  EXPECT_TRUE(trees.judge().at(0).usual_across);
}

// Their rails differ: those of one direction are compared with each other.
TEST(TreeExcess, ComparesOneDirectionOfTwoHostsWhereThereAreSeveralCommunicators) {
  TwoTrees trees;
  trees.first = trees.second = PlayedTree({-1, 0});
  trees.second_communicator = 1;
  EXPECT_TRUE(trees.judge().empty());
  trees.first.slow_us[{0, 1}] = 400;
  EXPECT_EQ(TwoTrees::edges_of(trees.judge(), 0), (TwoTrees::Edges{{0, 1}}));
  trees.second = PlayedTree({1, -1});
  EXPECT_TRUE(trees.judge().empty());
}

// Down, up where another edge feeds it, and up from a leaf.
TEST(TreeExcess, NamesTheEdgeThatIsSlowAtTimesInTheOperationsInWhichItIs) {
  for (const auto& edge : {std::pair(5, 4), std::pair(1, 3), std::pair(0, 1)}) {
    TwoTrees trees;
    trees.slow_at_times = {trees.first};
    trees.slow_at_times[0].slow_us[edge] = 400;
    const std::vector<TransferExcess> found = trees.judge();
    ASSERT_EQ(found.size(), 1u) << edge.first;
    EXPECT_EQ(
        TwoTrees::edges_of(found, 0),
        (TwoTrees::Edges{{static_cast<uint32_t>(edge.first), static_cast<uint32_t>(edge.second)}}));
    EXPECT_EQ(found[0].matches.size(), kOperations / 4u);
    EXPECT_TRUE(found[0].sure);
    const int64_t longer_us = trees.slow_at_times[0].took_us() - trees.first.took_us();
    EXPECT_NEAR(static_cast<double>(found[0].excess_ns), static_cast<double>(longer_us * kUs),
                10e3);
  }
}

TEST(TreeExcess, SaysNothingWhereAllEdgesAreSlowAtTimes) {
  TwoTrees trees;
  trees.slow_at_times = {all_slower(trees.first, 4)};
  EXPECT_TRUE(trees.judge().empty());
  // Others always wait a little for one of them.
  trees.first.slow_us[{0, 1}] = 120;
  trees.slow_at_times = {all_slower(trees.first, 4)};
  EXPECT_TRUE(trees.judge().empty());
}

TEST(TreeExcess, SaysNothingWhereNowThisLeafIsSlowAndNowThat) {
  TwoTrees trees;
  trees.slow_at_times = {trees.first, trees.first};
  trees.slow_at_times[0].slow_us[{0, 1}] = trees.slow_at_times[1].slow_us[{4, 5}] = 400;
  EXPECT_TRUE(trees.judge().empty());
}

TEST(TreeExcess, NamesTheDirectionOfTwoHostsThatIsSlowAtTimes) {
  TwoTrees trees;
  trees.first = PlayedTree({-1, 0});
  trees.second = PlayedTree({1, -1});
  trees.slow_at_times = {trees.first};
  trees.slow_at_times[0].slow_us[{0, 1}] = 400;
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
