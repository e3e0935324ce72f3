#include "analysis/transfers/chain_edges.h"

#include <algorithm>
#include <map>

#include "analysis/transfers/channel_ways.h"
#include "analysis/transfers/middle.h"

namespace lockstep::analysis {
namespace {

// Ranks that began within this part of the time in which the data came had begun when it came.
constexpr int64_t kPartLate = 10;
// Held up by its own late beginning, a transfer ends so much of its time after its host has all data.
constexpr int64_t kPartAfterFed = 5;
// Sender and receiver begin together where this part of the transfer's time lies between.
constexpr int64_t kPartTogether = 25;
// A receiver lets its sender wait for this part of the time that is left then, or for nothing.
constexpr int64_t kPartWaited = 4;

// Of the shortest time in which the last of the data is sent on as it comes.
constexpr double kAsSoonAsFed = 1.1;

class Chain {
 public:
  Chain(const RunTables& run, uint32_t match)
      : run_(run),
        begin_(run.matches[match].first_arrival),
        end_(begin_ + run.matches[match].arrivals) {
    std::map<int32_t, uint32_t> by_rank;
    for (uint32_t a = begin_; a < end_; ++a) {
      const OperationRow& row = operation(a);
      by_rank[row.rank] = a;
      // What comes back to the root is at its end, whatever leaves its host.
      if (row.rank == row.peer) root_host_ = host_of(a);
    }
    for (uint32_t a = begin_; a < end_; ++a) {
      const OperationRow& row = operation(a);
      const auto next = by_rank.find(row.send_peer);
      if (row.send_peer < 0 || next == by_rank.end() ||
          operation(next->second).receive_peer != row.rank)
        continue;
      ChainEdge& edge = edges_.emplace_back();
      edge.match = match;
      edge.from = a;
      edge.to = next->second;
      edge.done_ns = operation(next->second).received_ns;
    }
    for (size_t e = 0; e < edges_.size(); ++e) into_[host_of(edges_[e].to)].push_back(e);
    for (const auto& [host, into] : into_) several_ways_ = several_ways_ || into.size() > 1;
    if (several_ways_) find_channels();
  }

  std::vector<ChainEdge> judge() {
    std::vector<ChainEdge> told;
    for (size_t e = 0; e < edges_.size(); ++e) {
      if (edges_[e].done_ns == kNoTime) continue;
      ChainEdge one = edges_[e];
      if (judge_edge(e, &one)) told.push_back(one);
    }
    return told;
  }

 private:
  const OperationRow& operation(uint32_t arrival) const {
    return run_.operations[run_.arrivals[arrival].operation];
  }
  Text host_of(uint32_t arrival) const { return run_.processes[operation(arrival).process].host; }
  int64_t start_ns(uint32_t arrival) const { return run_.arrivals[arrival].arrival_ns; }

  // One of those of each edge: edges of one way have the same.
  void find_channels() {
    for (const ChainEdge& edge : edges_) {
      uint32_t& channel = channels_.emplace_back(kNoRow);
      for_each_end(run_, run_.arrivals[edge.from].operation, [&](const ChannelEndRow& end) {
        if (end.is_send != 0) channel = std::min(channel, uint32_t{end.channel});
      });
    }
  }

  // The edge over which a host gets what it sends over this one; kNoRow: it has the data, or nobody knows.
  uint32_t feeds(size_t edge) const {
    const Text host = host_of(edges_[edge].from);
    const auto at = into_.find(host);
    if (host == root_host_ || at == into_.end()) return kNoRow;
    for (const size_t e : at->second) {
      if (!several_ways_ || channels_[e] == channels_[edge]) return static_cast<uint32_t>(e);
    }
    return kNoRow;
  }
  // From when all ranks of the sender's host were there that the data passes: it and those that ended before it. Of
  // several ways each passes all of them, but at the root's host.
  int64_t ready_ns(const ChainEdge& edge) const {
    int64_t ready_ns = start_ns(edge.from);
    for (uint32_t a = begin_; a < end_; ++a) {
      if (host_of(a) != host_of(edge.from)) continue;
      if (several_ways_ || (operation(a).kernel_stop_ns != kNoTime &&
                            operation(a).kernel_stop_ns < operation(edge.from).kernel_stop_ns))
        ready_ns = std::max(ready_ns, start_ns(a));
    }
    return ready_ns;
  }
  // Before this, nothing of it can have come to the sender's host.
  int64_t coming_ns(size_t edge) const {
    int64_t coming_ns = kNoTime;
    size_t passed = 0;
    for (uint32_t e = feeds(edge); e != kNoRow && passed < edges_.size(); ++passed) {
      coming_ns = std::max(coming_ns, ready_ns(edges_[e]));
      e = feeds(e);
    }
    return coming_ns;
  }

  // False: when the transfer could begin is not known.
  bool judge_edge(size_t number, ChainEdge* edge) const {
    const int64_t there_ns = ready_ns(*edge), receiver_ns = start_ns(edge->to);
    const uint32_t feeder = feeds(number);
    if (several_ways_ && !is_way_known(number, there_ns)) return false;
    if (several_ways_ && host_of(edge->from) != root_host_) edge->begin = Begin::Passed;
    int64_t first_ns = there_ns;  // when the first of the data was at the sender
    edge->begun_ns = std::max(there_ns, receiver_ns);
    if (feeder != kNoRow) {
      const int64_t fed_ns = edges_[feeder].done_ns, coming_ns = coming_ns_of(number, there_ns);
      if (fed_ns == kNoTime) return false;
      edge->fed_ns = fed_ns;
      if ((edge->begun_ns - coming_ns) * kPartLate <= fed_ns - coming_ns) {
        edge->begin = Begin::Fed;
        edge->begun_ns = std::max(edge->begun_ns, fed_ns);
        return true;
      }
      if ((edge->done_ns - fed_ns) * kPartAfterFed < edge->done_ns - edge->begun_ns) return false;
      first_ns = std::max(first_ns, coming_ns);
    }
    if ((receiver_ns - first_ns) * kPartTogether <= edge->done_ns - receiver_ns) return true;
    edge->begin = Begin::Waited;
    return (receiver_ns - first_ns) * kPartWaited >= edge->done_ns - receiver_ns;
  }
  int64_t coming_ns_of(size_t edge, int64_t otherwise_ns) const {
    const int64_t known_ns = coming_ns(edge);
    return known_ns == kNoTime ? otherwise_ns : known_ns;
  }
  // Of several: which ranks it passes at the root's host is not, but matters only where these do not begin together.
  bool is_way_known(size_t number, int64_t there_ns) const {
    const ChainEdge& edge = edges_[number];
    return channels_[number] != kNoRow &&
           (host_of(edge.from) != root_host_ ||
            (there_ns - start_ns(edge.from)) * kPartTogether <= edge.done_ns - there_ns);
  }

  const RunTables& run_;
  const uint32_t begin_, end_;  // rows of `arrivals`
  Text root_host_ = 0;
  std::vector<ChainEdge> edges_;
  std::map<Text, std::vector<size_t>> into_;  // by host: which of `edges_`
  // Channels enter and leave hosts at ranks of their own.
  bool several_ways_ = false;
  std::vector<uint32_t> channels_;  // by edge, of several ways
};

// What the last of the data took, once its sender's host had all of it.
int64_t last_part_ns(const RunTables& run, const AlikeSizes& sizes, const ChainEdge& edge) {
  return sizes.of(run.matches[edge.match]).scaled(edge.done_ns - edge.fed_ns);
}

// Where it is sent on as it comes, over the edge where this is the shortest; kNoTime: not known.
int64_t shortest_last_part_ns(const RunTables& run, const AlikeSizes& sizes,
                              const std::vector<ChainEdge>& edges) {
  std::map<std::pair<int32_t, int32_t>, std::vector<int64_t>> of_ranks;
  const auto rank = [&](uint32_t arrival) { return run.arrivals[arrival].rank; };
  for (const ChainEdge& edge : edges) {
    if (edge.begin == Begin::Fed)
      of_ranks[{rank(edge.from), rank(edge.to)}].push_back(last_part_ns(run, sizes, edge));
  }
  int64_t shortest_ns = kNoTime;
  for (const auto& [ranks, times] : of_ranks) {
    const Middle middle = middle_of(times);
    if (middle.known() && (shortest_ns == kNoTime || middle.ns < shortest_ns))
      shortest_ns = middle.ns;
  }
  return shortest_ns;
}

// What begins while its data comes ends no sooner than the last of this lets it. If it ends as soon as those do
// that are sent on as they come, nothing tells what it takes by itself.
void leave_out_held_up(const RunTables& run, const AlikeSizes& sizes,
                       std::vector<ChainEdge>* edges) {
  const int64_t shortest_ns = shortest_last_part_ns(run, sizes, *edges);
  if (shortest_ns == kNoTime) return;
  const auto is_held_up = [&](const ChainEdge& edge) {
    return edge.begin != Begin::Fed && edge.fed_ns != kNoTime &&
           last_part_ns(run, sizes, edge) <= part_of(shortest_ns, kAsSoonAsFed);
  };
  edges->erase(std::remove_if(edges->begin(), edges->end(), is_held_up), edges->end());
}

}  // namespace

std::vector<ChainEdge> chain_edges(const RunTables& run, const AlikeSizes& sizes,
                                   const std::vector<uint32_t>& matches) {
  std::vector<ChainEdge> all;
  for (const uint32_t match : matches) {
    const std::vector<ChainEdge> told = Chain(run, match).judge();
    all.insert(all.end(), told.begin(), told.end());
  }
  leave_out_held_up(run, sizes, &all);
  return all;
}

}  // namespace lockstep::analysis
