// Which edge of one tree is at the place of which edge of the other. NCCL joins a communicator's hosts by two trees, of
// which each carries half of the data: the second is the first mirrored where there is an even number of hosts, and
// shifted by one otherwise (ncclGetDtree() in NCCL's graph/trees.cc). Where hosts have one adapter for all channels, what
// passes an edge waits for what else enters and leaves its two hosts, and both trees meet the same there. Pure; no I/O.
#pragma once

#include <vector>

#include "analysis/paths/seen_tree.h"

namespace lockstep::analysis {

// The hosts of a communicator's trees, in the order of its ranks.
std::vector<Text> hosts_in_order(const RunTables& run, const SeenTree& tree);

// By edge: which edge of the other tree is at its place. Empty: the other tree is not the second of these hosts.
std::vector<size_t> counterparts_of(const std::vector<Text>& hosts, const SeenTree& tree,
                                    const SeenTree& other);

}  // namespace lockstep::analysis
