#include "analysis/follow/peers.h"

#include <algorithm>
#include <map>

namespace lockstep::analysis {
namespace {

// Who exchanges with fewer is no server: the middle stage of three does with two.
constexpr size_t kFewestServed = 3;

using PeersOfRanks = std::map<int32_t, std::set<int32_t>>;  // of one communicator

// The ranks that serve the others; none where some of the others exchange with each other.
std::set<int32_t> servers_of(const PeersOfRanks& peers) {
  std::set<int32_t> servers;
  for (const auto& [rank, its] : peers) {
    if (its.size() >= kFewestServed) servers.insert(rank);
  }
  const bool all_serve = 2 * servers.size() >= peers.size();
  const bool only_with_servers = std::all_of(peers.begin(), peers.end(), [&](const auto& one) {
    return servers.count(one.first) != 0 ||
           std::includes(servers.begin(), servers.end(), one.second.begin(), one.second.end());
  });
  return all_serve || !only_with_servers ? std::set<int32_t>() : servers;
}

}  // namespace

Peers::Peers(const RunTables& run) : run_(run) {
  std::map<uint32_t, PeersOfRanks> communicators;
  for (const OperationRow& row : run.operations) {
    if (row.kind == OpKind::PointToPoint && row.communicator != kNoRow && row.rank >= 0 &&
        row.peer >= 0 && row.peer != row.rank)
      communicators[row.communicator][row.rank].insert(row.peer);
  }
  for (const auto& [communicator, peers] : communicators) {
    for (const int32_t rank : servers_of(peers)) servers_.emplace(communicator, rank);
  }
}

uint32_t Peers::place_of(const OperationRow& row) const {
  const int32_t ranks = run_.communicators[row.communicator].nranks;
  if (row.kind != OpKind::PointToPoint || row.peer < 0 || row.rank < 0 || ranks < 1) return 0;
  if (serves(row.communicator, row.peer) && !serves(row.communicator, row.rank))
    return ~static_cast<uint32_t>(row.peer);
  return static_cast<uint32_t>((row.peer - row.rank + ranks) % ranks);
}

}  // namespace lockstep::analysis
