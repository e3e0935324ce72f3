#include "analysis/paths/channel_trees.h"

#include <map>
#include <set>
#include <utility>

namespace lockstep::analysis {
namespace {

using RankPair = std::pair<uint32_t, uint32_t>;

class TreesOfChannels {
 public:
  TreesOfChannels(const RunTables& run, const std::vector<uint32_t>& by_rank)
      : run_(run), by_rank_(by_rank) {}

  std::vector<ChannelTree> find() const {
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

std::vector<ChannelTree> channel_trees(const RunTables& run, const std::vector<uint32_t>& by_rank) {
  return TreesOfChannels(run, by_rank).find();
}

}  // namespace lockstep::analysis
