// The trees of a collective that goes up and down one on each channel. As of rings, only the edges between
// hosts are known, each of which carries data in both directions. Pure functions over the tables.
#pragma once

#include <vector>

#include "analysis/paths/channel_rings.h"

namespace lockstep::analysis {

struct ChannelTree {
  uint8_t channel = 0;
  // Two for each pair of hosts that exchange data, one behind the other: there and back.
  std::vector<ChannelEdge> edges;
};

// by_rank: rows of `operations`, of one collective. Empty unless the edges of every channel that is known of make a
// tree of all hosts.
std::vector<ChannelTree> channel_trees(const RunTables& run, const std::vector<uint32_t>& by_rank);

}  // namespace lockstep::analysis
