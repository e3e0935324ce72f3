#include "analysis/paths/chain_edges.h"

#include <algorithm>
#include <map>

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

class Chain {
 public:
  Chain(const RunTables& run, const MatchRow& match)
      : run_(run), begin_(match.first_arrival), end_(match.first_arrival + match.arrivals) {
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
      into_.emplace(host_of(next->second), edges_.size());
      edges_.push_back(
          {a, next->second, Begin::Whole, kNoTime, operation(next->second).received_ns});
    }
  }

  std::vector<ChainEdge> judge() {
    std::vector<ChainEdge> told;
    for (const ChainEdge& edge : edges_) {
      if (edge.done_ns == kNoTime) continue;
      ChainEdge one = edge;
      if (judge_edge(&one)) told.push_back(one);
    }
    return told;
  }

 private:
  const OperationRow& operation(uint32_t arrival) const {
    return run_.operations[run_.arrivals[arrival].operation];
  }
  Text host_of(uint32_t arrival) const { return run_.processes[operation(arrival).process].host; }
  int64_t start_ns(uint32_t arrival) const { return run_.arrivals[arrival].arrival_ns; }

  // The edge over which a host gets what it sends on; kNoRow: it has the data, or nobody knows.
  uint32_t feeds(Text host) const {
    const auto at = into_.find(host);
    return host == root_host_ || at == into_.end() ? kNoRow : static_cast<uint32_t>(at->second);
  }
  // From when all ranks of the sender's host were there that the data passes: it and those that ended
  // before it.
  int64_t ready_ns(const ChainEdge& edge) const {
    int64_t ready_ns = start_ns(edge.from);
    for (uint32_t a = begin_; a < end_; ++a) {
      if (host_of(a) == host_of(edge.from) && operation(a).kernel_stop_ns != kNoTime &&
          operation(a).kernel_stop_ns < operation(edge.from).kernel_stop_ns)
        ready_ns = std::max(ready_ns, start_ns(a));
    }
    return ready_ns;
  }
  // Before this, nothing of it can have come to the host.
  int64_t coming_ns(Text host) const {
    int64_t coming_ns = kNoTime;
    size_t passed = 0;
    for (uint32_t e = feeds(host); e != kNoRow && passed < edges_.size(); ++passed) {
      coming_ns = std::max(coming_ns, ready_ns(edges_[e]));
      e = feeds(host_of(edges_[e].from));
    }
    return coming_ns;
  }

  // False: when the transfer could begin is not known.
  bool judge_edge(ChainEdge* edge) const {
    const Text host = host_of(edge->from);
    const int64_t there_ns = ready_ns(*edge), receiver_ns = start_ns(edge->to);
    const uint32_t feeder = feeds(host);
    int64_t first_ns = there_ns;  // when the first of the data was at the sender
    edge->begun_ns = std::max(there_ns, receiver_ns);
    if (feeder != kNoRow) {
      const int64_t fed_ns = edges_[feeder].done_ns, coming_ns = coming_ns_of(host, there_ns);
      if (fed_ns == kNoTime) return false;
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
  int64_t coming_ns_of(Text host, int64_t otherwise_ns) const {
    const int64_t known_ns = coming_ns(host);
    return known_ns == kNoTime ? otherwise_ns : known_ns;
  }

  const RunTables& run_;
  const uint32_t begin_, end_;  // rows of `arrivals`
  Text root_host_ = 0;
  std::vector<ChainEdge> edges_;
  std::map<Text, size_t> into_;  // by host: which of `edges_`
};

}  // namespace

std::vector<ChainEdge> chain_edges(const RunTables& run, const MatchRow& match) {
  return Chain(run, match).judge();
}

}  // namespace lockstep::analysis
