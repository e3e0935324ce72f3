// The way that each channel of a collective takes between hosts: a ring, or a tree. A channel's ring enters a host at
// one rank and leaves it at one, often another on each channel, and only there are its network operations. So what is
// known of a ring or a tree are its edges between hosts. Pure functions over the tables.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// From one host to the next.
struct ChannelEdge {
  uint32_t from = 0,
           to = 0;  // ranks: where the channel leaves the one and where it enters the other
};
struct ChannelRing {
  uint8_t channel = 0;
  std::vector<ChannelEdge> edges;  // by host, in the order of the ring
};

struct ChannelTree {
  uint8_t channel = 0;
  // Two for each pair of hosts that exchange data, one behind the other: there and back.
  std::vector<ChannelEdge> edges;
};

// by_rank: rows of `operations`, of one collective. Empty unless every channel that is known of passes each host
// once, and there are several.
std::vector<ChannelRing> channel_rings(const RunTables& run, const std::vector<uint32_t>& by_rank);
// Empty unless the edges of every channel that is known of make a tree of all hosts.
std::vector<ChannelTree> channel_trees(const RunTables& run, const std::vector<uint32_t>& by_rank);

// What is known of the ends of an operation, those of one rank: calls use(const ChannelEndRow&).
template <typename Use>
void for_each_end(const RunTables& run, uint32_t operation, const Use& use) {
  struct Less {
    bool operator()(const ChannelEndRow& end, uint32_t row) const { return end.operation < row; }
    bool operator()(uint32_t row, const ChannelEndRow& end) const { return row < end.operation; }
  };
  const auto [begin, end] =
      std::equal_range(run.channel_ends.begin(), run.channel_ends.end(), operation, Less());
  std::for_each(begin, end, use);
}

// The end of what an operation sent to that rank on that channel, or received from it; not known: without times.
ChannelEndRow channel_end(const RunTables& run, uint32_t operation, uint8_t channel, bool is_send,
                          uint32_t peer);
// When it was done; kNoTime: not known.
inline int64_t channel_end_ns(const RunTables& run, uint32_t operation, uint8_t channel,
                              bool is_send, uint32_t peer) {
  return channel_end(run, operation, channel, is_send, peer).done_ns;
}
// On how many channels it sends.
uint32_t sending_channels(const RunTables& run, uint32_t operation);

}  // namespace lockstep::analysis
