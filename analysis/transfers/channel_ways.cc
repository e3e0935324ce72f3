#include "analysis/transfers/channel_ways.h"

#include <map>
#include <set>
#include <utility>

namespace lockstep::analysis {
namespace {

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
using RankPair = std::pair<uint32_t, uint32_t>;

class WaysOfChannels {
 public:
  WaysOfChannels(const RunTables& run, const std::vector<uint32_t>& by_rank)
      : run_(run), by_rank_(by_rank) {}

  std::vector<ChannelRing> rings() const {
    std::set<Text> hosts;
    std::map<uint8_t, ByHost> channels;
    for (uint32_t rank = 0; rank < by_rank_.size(); ++rank) {
      hosts.insert(host_of(rank));
      bool known = true;
      for_each_end(run_, by_rank_[rank], [&](const ChannelEndRow& end) {
        known = known && end.peer < by_rank_.size();
        if (known && host_of(end.peer) != host_of(rank))
          channels[static_cast<uint8_t>(end.channel)][host_of(rank)].add(end, rank);
      });
      if (!known) return {};
    }
    std::vector<ChannelRing> rings;
    for (const auto& [channel, at] : channels) {
      rings.push_back({channel, ring_of(at)});
      if (rings.back().edges.size() != hosts.size()) return {};
    }
    if (rings.size() < 2) rings.clear();
    return rings;
  }

  std::vector<ChannelTree> trees() const {
    std::set<Text> hosts;
    std::map<uint8_t, std::set<RankPair>> sends;
    for (uint32_t rank = 0; rank < by_rank_.size(); ++rank) {
      hosts.insert(host_of(rank));
      for_each_end(run_, by_rank_[rank], [&](const ChannelEndRow& end) {
        if (end.is_send != 0 && end.peer < by_rank_.size() && host_of(end.peer) != host_of(rank))
          sends[static_cast<uint8_t>(end.channel)].emplace(rank, end.peer);
      });
    }
    std::vector<ChannelTree> trees;
    for (const auto& [channel, of_channel] : sends) {
      trees.push_back({channel, there_and_back(of_channel)});
      if (!reaches_all(trees.back().edges, hosts)) return {};
    }
    return trees;
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

  // None if one leads in one direction only.
  static std::vector<ChannelEdge> there_and_back(const std::set<RankPair>& sends) {
    std::vector<ChannelEdge> edges;
    for (const auto& [from, to] : sends) {
      if (sends.count({to, from}) == 0) return {};
      if (from > to) continue;
      edges.push_back({from, to});
      edges.push_back({to, from});
    }
    return edges;
  }

  // With one pair of hosts less than hosts, so that none is reached twice.
  bool reaches_all(const std::vector<ChannelEdge>& edges, const std::set<Text>& hosts) const {
    if (edges.size() != 2 * (hosts.size() - 1) || edges.empty()) return false;
    std::set<Text> reached{host_of(edges.front().from)};
    for (size_t before = 0; before != reached.size();) {
      before = reached.size();
      for (const ChannelEdge& edge : edges) {
        if (reached.count(host_of(edge.from)) != 0) reached.insert(host_of(edge.to));
      }
    }
    return reached.size() == hosts.size();
  }

  const RunTables& run_;
  const std::vector<uint32_t>& by_rank_;
};

}  // namespace

std::vector<ChannelRing> channel_rings(const RunTables& run, const std::vector<uint32_t>& by_rank) {
  return WaysOfChannels(run, by_rank).rings();
}

std::vector<ChannelTree> channel_trees(const RunTables& run, const std::vector<uint32_t>& by_rank) {
  return WaysOfChannels(run, by_rank).trees();
}

ChannelEndRow channel_end(const RunTables& run, uint32_t operation, uint8_t channel, bool is_send,
                          uint32_t peer) {
  ChannelEndRow found{};
  for_each_end(run, operation, [&](const ChannelEndRow& end) {
    if (end.channel == channel && (end.is_send != 0) == is_send && end.peer == peer) found = end;
  });
  return found;
}

uint32_t sending_channels(const RunTables& run, uint32_t operation) {
  uint32_t channels = 0;
  for_each_end(run, operation,
               [&](const ChannelEndRow& end) { channels += end.is_send != 0 ? 1 : 0; });
  return channels;
}

}  // namespace lockstep::analysis
