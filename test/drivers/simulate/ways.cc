#include "test/drivers/simulate/ways.h"

#include <algorithm>

namespace lockstep::simulate {
namespace {

// The parent of a host in the first tree, in which every odd host is a leaf: NCCL's ncclGetBtree.
size_t parent_in_first_tree(size_t host, size_t hosts) {
  if (host == 0) return kNowhere;
  const size_t bit = host & (~host + 1);  // the lowest that is set
  const size_t up = (host ^ bit) | (bit << 1);
  return up < hosts ? up : host ^ bit;
}

// In the second tree the leaves of the first are not leaves: mirrored, or of an odd number of hosts
// shifted by one (ncclGetDtree).
size_t parent_in_second_tree(size_t host, size_t hosts) {
  const bool mirrored = hosts % 2 == 0;
  const size_t as = mirrored ? hosts - 1 - host : (host + hosts - 1) % hosts;
  const size_t parent = parent_in_first_tree(as, hosts);
  if (parent == kNowhere) return kNowhere;
  return mirrored ? hosts - 1 - parent : (parent + 1) % hosts;
}

// Each host's ranks from the `start`-th on, so that this is where data enters.
std::vector<size_t> ring_order(size_t ranks, size_t width, size_t start) {
  std::vector<size_t> order(ranks);
  for (size_t i = 0; i < ranks; ++i) order[i] = i / width * width + (start + i) % width;
  return order;
}

// Inside a host a chain, whose first rank leads to the parent host. Where each rank has an adapter,
// the second child of a host hangs on the chain's second rank: NCCL's balanced tree.
std::vector<size_t> tree_parents(size_t hosts, size_t width, size_t start, bool second,
                                 bool balanced) {
  std::vector<size_t> parents(hosts * width, kNowhere), children(hosts);
  for (size_t host = 0; host < hosts; ++host) {
    const auto at = [&](size_t of_host, size_t place) {
      return of_host * width + (start + place) % width;
    };
    for (size_t place = 1; place < width; ++place) parents[at(host, place)] = at(host, place - 1);
    const size_t parent =
        second ? parent_in_second_tree(host, hosts) : parent_in_first_tree(host, hosts);
    if (parent != kNowhere) parents[at(host, 0)] = at(parent, balanced ? children[parent]++ : 0);
  }
  return parents;
}

}  // namespace

std::vector<Hop> hops_of(const Way& way) {
  std::vector<Hop> hops;
  for (size_t i = 0; i < way.order.size(); ++i)
    hops.push_back({way.order[i], way.order[(i + 1) % way.order.size()]});
  for (size_t rank = 0; rank < way.parents.size(); ++rank) {
    const size_t parent = way.parents[rank], self = parent == kNowhere ? kNowhere : rank;
    hops.push_back({self, parent});
    hops.push_back({parent, self});
  }
  return hops;
}

bool goes_by_tree(const Part& part, const Layout& layout) {
  const Communicator& communicator = layout.communicators[part.communicator];
  return part.function == Function::AllReduce && part.bytes <= layout.options.tree_bytes &&
         communicator.nodes > 1 && communicator.per_node != 0;
}

std::vector<Way> ways_of(const Part& part, const Layout& layout) {
  const Communicator& communicator = layout.communicators[part.communicator];
  const size_t ranks = communicator.ranks.size();
  const bool tree = goes_by_tree(part, layout);
  const bool spread =
      layout.options.adapter_each && communicator.nodes > 1 && communicator.per_node != 0;
  const auto width = spread || tree ? static_cast<size_t>(communicator.per_node) : ranks;
  const unsigned channels = layout.channels();
  const unsigned starts = spread ? std::min(channels, static_cast<unsigned>(width)) : 1;
  std::vector<Way> ways;
  for (unsigned start = 0; start < starts; ++start) {
    for (unsigned parity = 0; parity < (tree ? 2 : 1); ++parity) {
      Way way;
      way.tree = tree;
      for (unsigned channel = start; channel < channels; channel += starts) {
        ++way.sharing;
        if (!tree || channel % 2 == parity) way.channels.push_back(channel);
      }
      if (way.channels.empty()) continue;
      if (tree) {
        way.parents = tree_parents(ranks / width, width, start, parity == 1, spread);
      } else {
        way.order = ring_order(ranks, width, start);
      }
      ways.push_back(std::move(way));
    }
  }
  return ways;
}

}  // namespace lockstep::simulate
