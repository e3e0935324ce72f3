#include "analysis/paths/channel_rings.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace lockstep::analysis {
namespace {

using EndsRange = std::pair<std::vector<ChannelEndRow>::const_iterator,
                            std::vector<ChannelEndRow>::const_iterator>;

EndsRange ends_of(const RunTables& run, uint32_t operation) {
  struct Less {
    bool operator()(const ChannelEndRow& end, uint32_t row) const { return end.operation < row; }
    bool operator()(uint32_t row, const ChannelEndRow& end) const { return row < end.operation; }
  };
  return std::equal_range(run.channel_ends.begin(), run.channel_ends.end(), operation, Less());
}

// What a channel does at one host: who sends to another host, who receives from one.
struct AtHost {
  uint32_t enters = kNoRow, leaves = kNoRow;
  uint32_t from = kNoRow, to = kNoRow;
  bool once = true;

  void add(const ChannelEndRow& end, uint32_t rank) {
    uint32_t& kept = end.is_send != 0 ? leaves : enters;
    once = once && kept == kNoRow;
    kept = rank;
    (end.is_send != 0 ? to : from) = end.peer;
  }
};
using ByHost = std::map<Text, AtHost>;

class RingsOfChannels {
 public:
  RingsOfChannels(const RunTables& run, const std::vector<uint32_t>& by_rank)
      : run_(run), by_rank_(by_rank) {}

  std::vector<ChannelRing> find() const {
    std::set<Text> hosts;
    std::map<uint8_t, ByHost> channels;
    for (uint32_t rank = 0; rank < by_rank_.size(); ++rank) {
      hosts.insert(host_of(rank));
      const auto [begin, end] = ends_of(run_, by_rank_[rank]);
      for (auto one = begin; one != end; ++one) {
        if (one->peer >= by_rank_.size()) return {};
        if (host_of(one->peer) != host_of(rank))
          channels[static_cast<uint8_t>(one->channel)][host_of(rank)].add(*one, rank);
      }
    }
    std::vector<ChannelRing> rings;
    for (const auto& [channel, at] : channels) {
      rings.push_back({channel, ring_of(at)});
      if (rings.back().edges.size() != hosts.size()) return {};
    }
    if (rings.size() < 2) rings.clear();
    return rings;
  }

 private:
  Text host_of(uint32_t rank) const {
    return run_.processes[run_.operations[by_rank_[rank]].process].host;
  }

  // Up to where it comes back to a host, or where peers contradict each other.
  std::vector<ChannelEdge> ring_of(const ByHost& hosts) const {
    std::vector<ChannelEdge> edges;
    const AtHost* at = &hosts.begin()->second;
    while (edges.size() < hosts.size()) {
      if (!at->once || at->enters == kNoRow || at->leaves == kNoRow) return {};
      const auto next = hosts.find(host_of(at->to));
      if (next == hosts.end() || next->second.enters != at->to || next->second.from != at->leaves)
        return {};
      edges.push_back({at->leaves, at->to});
      at = &next->second;
      if (at == &hosts.begin()->second) break;
    }
    return edges;
  }

  const RunTables& run_;
  const std::vector<uint32_t>& by_rank_;
};

}  // namespace

std::vector<ChannelRing> channel_rings(const RunTables& run, const std::vector<uint32_t>& by_rank) {
  return RingsOfChannels(run, by_rank).find();
}

int64_t channel_end_ns(const RunTables& run, uint32_t operation, uint8_t channel, bool is_send,
                       uint32_t peer) {
  const auto [begin, end] = ends_of(run, operation);
  const auto found = std::find_if(begin, end, [&](const ChannelEndRow& one) {
    return one.channel == channel && (one.is_send != 0) == is_send && one.peer == peer;
  });
  return found == end ? kNoTime : found->done_ns;
}

uint32_t sending_channels(const RunTables& run, uint32_t operation) {
  const auto [begin, end] = ends_of(run, operation);
  return static_cast<uint32_t>(
      std::count_if(begin, end, [](const ChannelEndRow& one) { return one.is_send != 0; }));
}

}  // namespace lockstep::analysis
