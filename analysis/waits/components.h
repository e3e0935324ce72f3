// The strongly connected components of a graph: nodes that lead to each other, in a circle or several.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::analysis {

// By node, the number of its component; `edges` by node, the nodes that it leads to. Linear in the edges.
std::vector<uint32_t> components_of(const std::vector<std::vector<uint32_t>>& edges);

}  // namespace lockstep::analysis
