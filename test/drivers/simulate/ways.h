// The ways that a collective's data takes on each channel, from rank to rank: rings as NCCL lays them
// over hosts, and its double binary trees. Pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "test/drivers/simulate/layout.h"
#include "test/drivers/simulate/program.h"

namespace lockstep::simulate {

constexpr size_t kNowhere = ~size_t{0};

struct Way {
  bool tree = false;
  std::vector<size_t> order;       // of a ring: ranks of the communicator, each sends to the next
  std::vector<size_t> parents;     // of a tree: by rank of the communicator; of the root kNowhere
  std::vector<unsigned> channels;  // that all go this way
  unsigned sharing = 0;  // channels that leave a host by the same adapter, these among them
};

// Edges in one direction.
struct Hop {
  size_t from, to;  // ranks of the communicator
};
// In the order of the data's steps: along the ring; of a tree from each rank to its parent and back,
// as edges 2 * rank and 2 * rank + 1. The root's lead from kNowhere to kNowhere.
std::vector<Hop> hops_of(const Way& way);

// All-reduces of at most layout.options.tree_bytes do, where hosts have as many ranks each.
bool goes_by_tree(const Part& part, const Layout& layout);

// With an adapter for each GPU, channel k enters and leaves each host at its k-th rank, where hosts
// have as many each.
std::vector<Way> ways_of(const Part& part, const Layout& layout);

}  // namespace lockstep::simulate
