#include "analysis/account/peer_traffic.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lockstep::analysis {
namespace {

struct Moved {
  uint64_t sent = 0, received = 0;
};

Imbalance imbalance_of(uint32_t communicator, const std::map<int32_t, Moved>& ranks) {
  Imbalance one;
  one.communicator = communicator;
  one.ranks = ranks.size();
  uint64_t received = 0;
  for (const auto& [rank, moved] : ranks) {
    one.bytes += moved.sent;
    received += moved.received;
    if (one.most_sent_by < 0 || moved.sent > one.most_sent)
      one.most_sent_by = rank, one.most_sent = moved.sent;
    if (one.most_received_by < 0 || moved.received > one.most_received)
      one.most_received_by = rank, one.most_received = moved.received;
  }
  const auto times_mean = [&](uint64_t most, uint64_t all) {
    return all == 0 ? 0
                    : static_cast<double>(most) * static_cast<double>(ranks.size()) /
                          static_cast<double>(all);
  };
  one.sent_factor = times_mean(one.most_sent, one.bytes);
  one.received_factor = times_mean(one.most_received, received);
  return one;
}

}  // namespace

std::vector<PeerTrafficRow> find_peer_traffic(const RunTables& run) {
  const Text send = run.strings.find("Send"), receive = run.strings.find("Recv");
  std::map<std::tuple<uint32_t, int32_t, int32_t>, PeerTrafficRow> pairs;
  for (const OperationRow& row : run.operations) {
    const bool sends = send != 0 && row.func == send;
    if (!sends && (receive == 0 || row.func != receive)) continue;
    // A call captured into a graph moves nothing; its replays do.
    if (row.communicator == kNoRow || row.state == OpState::Captured) continue;
    PeerTrafficRow& pair = pairs[{row.communicator, row.rank, row.peer}];
    pair.communicator = row.communicator;
    pair.process = row.process;
    pair.rank = row.rank;
    pair.peer = row.peer;
    ++(sends ? pair.sends : pair.receives);
    (sends ? pair.sent_bytes : pair.received_bytes) += row.size_bytes;
  }
  std::map<std::pair<uint32_t, int32_t>, uint32_t> processes;
  for (const MemberRow& member : run.members)
    processes[{member.communicator, member.rank}] = member.process;
  std::vector<PeerTrafficRow> rows;
  for (auto& [key, pair] : pairs) {
    const auto peer = processes.find({pair.communicator, pair.peer});
    if (peer != processes.end()) pair.peer_process = peer->second;
    rows.push_back(pair);
  }
  return rows;
}

std::vector<Imbalance> find_imbalances(const std::vector<PeerTrafficRow>& traffic) {
  std::vector<Imbalance> all;
  for (auto begin = traffic.begin(), end = begin; begin != traffic.end(); begin = end) {
    std::map<int32_t, Moved> ranks;
    size_t pairs = 0;
    for (; end != traffic.end() && end->communicator == begin->communicator; ++end) {
      ranks[end->rank].sent += end->sent_bytes;
      ranks[end->rank].received += end->received_bytes;
      pairs += end->sends != 0 ? 1 : 0;
    }
    all.push_back(imbalance_of(begin->communicator, ranks));
    all.back().pairs = pairs;
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Imbalance& a, const Imbalance& b) { return a.bytes > b.bytes; });
  return all;
}

}  // namespace lockstep::analysis
