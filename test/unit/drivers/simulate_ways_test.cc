// The simulator's rings and trees over hosts against NCCL's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "test/drivers/simulate/ways.h"

namespace lockstep::simulate {
namespace {

Layout layout_of(int ranks, int gpus_per_host, bool adapter_each, uint64_t tree_bytes) {
  LayoutOptions options;
  options.ranks = ranks;
  options.gpus_per_host = gpus_per_host;
  options.adapter_each = adapter_each;
  options.tree_bytes = tree_bytes;
  return make_layout(options, 1).value();
}
std::vector<Way> ways(const Layout& layout, Function function, uint64_t bytes) {
  Part part;
  part.function = function;
  part.bytes = bytes;
  return ways_of(part, layout);
}
std::vector<Way> trees(int ranks, int gpus_per_host, bool adapter_each = false) {
  return ways(layout_of(ranks, gpus_per_host, adapter_each, 1024), Function::AllReduce, 1024);
}

using Parents = std::vector<size_t>;

// As ncclGetDtree gives them.
TEST(SimulateWays, AreBothOfTheTreesOfNccl) {
  const std::vector<Way> of_four = trees(4, 1);
  ASSERT_EQ(of_four.size(), 2u);
  EXPECT_EQ(of_four[0].parents, (Parents{kNowhere, 2, 0, 2}));
  EXPECT_EQ(of_four[1].parents, (Parents{1, 3, 1, kNowhere}));
  EXPECT_EQ(of_four[0].channels, std::vector<unsigned>{0});
  EXPECT_EQ(of_four[1].channels, std::vector<unsigned>{1});
  const std::vector<Way> of_five = trees(5, 1);
  EXPECT_EQ(of_five[0].parents, (Parents{kNowhere, 2, 4, 2, 0}));
  EXPECT_EQ(of_five[1].parents, (Parents{1, kNowhere, 3, 0, 3}));
}

TEST(SimulateWays, ReachEveryRankOfATreeFromItsRoot) {
  for (int hosts = 2; hosts < 34; ++hosts) {
    for (const Way& way : trees(2 * hosts, 2, true)) {
      EXPECT_EQ(std::count(way.parents.begin(), way.parents.end(), kNowhere), 1) << hosts;
      for (size_t rank = 0; rank < way.parents.size(); ++rank) {
        size_t at = rank, passed = 0;
        while (way.parents[at] != kNowhere && passed < way.parents.size()) {
          at = way.parents[at];
          ++passed;
        }
        EXPECT_EQ(way.parents[at], kNowhere) << rank << " of " << hosts << " hosts";
      }
    }
  }
}

// Inside a host a chain; the second child of host 2 hangs on its second rank where each has an adapter.
TEST(SimulateWays, SpreadTheChildrenOfAHostOverItsAdapters) {
  EXPECT_EQ(trees(8, 2, false)[0].parents, (Parents{kNowhere, 0, 4, 2, 0, 4, 4, 6}));
  EXPECT_EQ(trees(8, 2, true)[0].parents, (Parents{kNowhere, 0, 4, 2, 0, 4, 5, 6}));
}

TEST(SimulateWays, EnterEachHostAtARankOfTheirOwn) {
  const Layout layout = layout_of(8, 4, true, 0);
  const std::vector<Way> rings = ways(layout, Function::AllGather, 1024);
  ASSERT_EQ(rings.size(), 4u);
  for (size_t channel = 0; channel < rings.size(); ++channel) {
    EXPECT_EQ(rings[channel].channels, std::vector<unsigned>{static_cast<unsigned>(channel)});
    EXPECT_EQ(rings[channel].sharing, 1u);
    std::set<size_t> entered;
    for (const Hop& hop : hops_of(rings[channel])) {
      if (layout.host_of(static_cast<int>(hop.from)) != layout.host_of(static_cast<int>(hop.to)))
        entered.insert(hop.to);
    }
    EXPECT_EQ(entered, (std::set<size_t>{channel, channel + 4}));
  }
}

TEST(SimulateWays, AreOneRingOfAllChannelsWhereHostsHaveOneAdapter) {
  const std::vector<Way> rings = ways(layout_of(6, 2, false, 1024), Function::ReduceScatter, 1024);
  ASSERT_EQ(rings.size(), 1u);
  EXPECT_EQ(rings[0].order, (std::vector<size_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(rings[0].channels, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(rings[0].sharing, 2u);
}

TEST(SimulateWays, AreNoTreesOfLargerAllReducesNorInsideAHostNorWhereHostsDiffer) {
  const auto by_tree = [](const Layout& layout, uint64_t bytes) {
    Part part;
    part.bytes = bytes;
    return goes_by_tree(part, layout);
  };
  EXPECT_TRUE(by_tree(layout_of(8, 4, false, 1024), 1024));
  EXPECT_FALSE(by_tree(layout_of(8, 4, false, 1024), 1025));
  EXPECT_FALSE(by_tree(layout_of(8, 8, false, 1024), 1024));
  EXPECT_FALSE(by_tree(layout_of(6, 4, false, 1024), 1024));
}

}  // namespace
}  // namespace lockstep::simulate
