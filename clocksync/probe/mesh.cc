#include "clocksync/probe/mesh.h"

#include <algorithm>
#include <map>

namespace lockstep::clocksync {
namespace {

// SplitMix64: the same numbers on every host and with every standard library.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15u;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_;
};

using EdgeSet = std::map<uint32_t, bool>;  // neighbour id -> slow

void add(uint32_t id, bool slow, EdgeSet* edges) {
  const auto [at, fresh] = edges->emplace(id, slow);
  if (!fresh) at->second = at->second && slow;
}

// The neighbours of self in the complete graph, or in degree / 2 random cycles over the ids.
void add_regular(const std::vector<uint32_t>& ids, uint32_t self, const MeshOptions& options,
                 EdgeSet* edges) {
  if (ids.size() <= size_t{options.degree} + 1) {
    for (uint32_t id : ids) {
      if (id != self) add(id, false, edges);
    }
    return;
  }
  Random random(options.seed);
  const uint32_t cycles = std::max(1u, options.degree / 2);
  std::vector<uint32_t> order = ids;
  for (uint32_t cycle = 0; cycle < cycles; ++cycle) {
    for (size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[random.next() % (i + 1)]);
    const auto at =
        static_cast<size_t>(std::find(order.begin(), order.end(), self) - order.begin());
    if (at == order.size()) return;
    add(order[(at + 1) % order.size()], false, edges);
    add(order[(at + order.size() - 1) % order.size()], false, edges);
  }
}

bool contains(const std::vector<uint32_t>& ids, uint32_t id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

}  // namespace

std::vector<Neighbour> mesh_neighbours(std::vector<MeshHost> hosts, uint32_t self,
                                       const MeshOptions& options) {
  std::sort(hosts.begin(), hosts.end(),
            [](const MeshHost& a, const MeshHost& b) { return a.id < b.id; });
  std::vector<uint32_t> ids;
  std::map<std::string, std::vector<uint32_t>> anchors_of_pod;
  std::string own_pod;
  for (const MeshHost& host : hosts) {
    ids.push_back(host.id);
    auto& anchors = anchors_of_pod[host.pod];
    if (anchors.size() < options.anchors_per_pod) anchors.push_back(host.id);
    if (host.id == self) own_pod = host.pod;
  }
  EdgeSet edges;
  if (!contains(ids, self)) return {};
  add_regular(ids, self, options, &edges);
  std::vector<uint32_t> all_anchors;
  for (const auto& [pod, anchors] : anchors_of_pod) {
    all_anchors.insert(all_anchors.end(), anchors.begin(), anchors.end());
  }
  if (ids.size() > size_t{options.degree} + 1) {
    const std::vector<uint32_t>& anchors = anchors_of_pod[own_pod];
    for (const MeshHost& host : hosts) {
      const bool one_is_anchor = contains(anchors, self) || contains(anchors, host.id);
      if (host.id != self && host.pod == own_pod && one_is_anchor) add(host.id, true, &edges);
    }
    if (contains(all_anchors, self)) add_regular(all_anchors, self, options, &edges);
  }
  std::vector<Neighbour> neighbours;
  for (const auto& [id, slow] : edges) neighbours.push_back({id, slow});
  return neighbours;
}

}  // namespace lockstep::clocksync
