#include "clocksync/probe/mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lockstep::clocksync {
namespace {

std::vector<MeshHost> hosts(uint32_t count, uint32_t pods) {
  std::vector<MeshHost> all;
  for (uint32_t i = 0; i < count; ++i)
    all.push_back({1000 + 7 * i, "pod" + std::to_string(i % pods)});
  return all;
}

std::vector<Neighbour> of(const std::vector<MeshHost>& all, size_t index,
                          const MeshOptions& options) {
  return mesh_neighbours(all, all[index].id, options);
}

TEST(Mesh, IsCompleteUpToNineHosts) {
  for (uint32_t count = 1; count <= 9; ++count) {
    const auto all = hosts(count, 1);
    for (size_t i = 0; i < all.size(); ++i) {
      const auto neighbours = of(all, i, {1, 8, 2});
      EXPECT_EQ(neighbours.size(), count - 1);
      for (const Neighbour& neighbour : neighbours) EXPECT_FALSE(neighbour.slow);
    }
  }
}

TEST(Mesh, IsSymmetricConnectedAndOfSmallDegree) {
  const auto all = hosts(200, 1);
  const MeshOptions options = {42, 8, 0};
  std::set<std::pair<uint32_t, uint32_t>> edges;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto neighbours = of(all, i, options);
    EXPECT_LE(neighbours.size(), 8u);
    EXPECT_GE(neighbours.size(), 6u);  // two cycles may share an edge
    for (const Neighbour& neighbour : neighbours) edges.insert({all[i].id, neighbour.id});
  }
  for (const auto& [a, b] : edges) EXPECT_TRUE(edges.count({b, a})) << a << " " << b;
  std::set<uint32_t> reached = {all[0].id};
  for (size_t before = 0; before != reached.size();) {
    before = reached.size();
    for (const auto& [a, b] : edges) {
      if (reached.count(a) != 0) reached.insert(b);
    }
  }
  EXPECT_EQ(reached.size(), all.size());
}

TEST(Mesh, DoesNotDependOnTheOrderOfTheList) {
  auto all = hosts(50, 1);
  const auto before = mesh_neighbours(all, all[3].id, {9, 8, 2});
  const uint32_t self = all[3].id;
  std::reverse(all.begin(), all.end());
  EXPECT_EQ(mesh_neighbours(all, self, {9, 8, 2}), before);
}

TEST(Mesh, ChangesWithTheSeed) {
  const auto all = hosts(50, 1);
  EXPECT_NE(of(all, 3, {1, 8, 2}), of(all, 3, {2, 8, 2}));
}

TEST(Mesh, LetsEveryHostOfAPodProbeItsAnchorsSlowly) {
  const auto all = hosts(60, 3);
  const MeshOptions options = {5, 4, 2};
  for (size_t i = 0; i < all.size(); ++i) {
    const auto neighbours = of(all, i, options);
    size_t anchors = 0;
    for (const Neighbour& neighbour : neighbours) {
      const auto index = (neighbour.id - 1000) / 7;
      const bool anchor_of_my_pod = index < 6 && index % 3 == i % 3;
      anchors += anchor_of_my_pod ? 1 : 0;
    }
    const bool is_anchor = i < 6;
    EXPECT_EQ(anchors, is_anchor ? 1u : 2u) << i;
  }
}

TEST(Mesh, IsEmptyForAHostThatIsNotInTheList) {
  EXPECT_TRUE(mesh_neighbours(hosts(20, 1), 5, {1, 8, 2}).empty());
}

}  // namespace
}  // namespace lockstep::clocksync
