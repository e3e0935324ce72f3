#include "analysis/paths/tree_counterparts.h"

#include <algorithm>

namespace lockstep::analysis {
namespace {

// place: by place of a host, that of its counterpart.
std::vector<size_t> edges_at(const std::vector<Text>& hosts, const std::vector<size_t>& place,
                             const SeenTree& tree, const SeenTree& other) {
  const auto counterpart = [&](Text host) -> Text {
    const auto at = std::find(hosts.begin(), hosts.end(), host);
    return at == hosts.end() ? 0 : hosts[place[static_cast<size_t>(at - hosts.begin())]];
  };
  std::vector<size_t> found;
  for (const SeenTreeEdge& edge : tree.edges()) {
    const Text from = counterpart(edge.from), to = counterpart(edge.to);
    const auto at =
        std::find_if(other.edges().begin(), other.edges().end(),
                     [&](const SeenTreeEdge& one) { return one.from == from && one.to == to; });
    if (at == other.edges().end()) return {};
    found.push_back(static_cast<size_t>(at - other.edges().begin()));
  }
  return found;
}

}  // namespace

std::vector<Text> hosts_in_order(const RunTables& run, const SeenTree& tree) {
  const CommunicatorRow& comm = run.communicators[tree.series().communicator];
  std::vector<MemberRow> members(run.members.begin() + comm.first_member,
                                 run.members.begin() + comm.first_member + comm.members);
  std::sort(members.begin(), members.end(),
            [](const MemberRow& a, const MemberRow& b) { return a.rank < b.rank; });
  std::vector<Text> hosts;
  for (const MemberRow& one : members) {
    const Text host = run.processes[one.process].host;
    if (std::find(hosts.begin(), hosts.end(), host) == hosts.end()) hosts.push_back(host);
  }
  return hosts;
}

std::vector<size_t> counterparts_of(const std::vector<Text>& hosts, const SeenTree& tree,
                                    const SeenTree& other) {
  const size_t count = hosts.size();
  std::vector<size_t> mirrored, next, before;
  for (size_t i = 0; i < count; ++i) {
    mirrored.push_back(count - 1 - i);
    next.push_back((i + 1) % count);
    before.push_back((i + count - 1) % count);
  }
  if (count % 2 == 0) return edges_at(hosts, mirrored, tree, other);
  const std::vector<size_t> second = edges_at(hosts, next, tree, other);
  return second.empty() ? edges_at(hosts, before, tree, other) : second;
}

}  // namespace lockstep::analysis
