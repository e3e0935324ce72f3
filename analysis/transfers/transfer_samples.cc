#include "analysis/transfers/transfer_samples.h"

#include <algorithm>
#include <bitset>
#include <map>
#include <optional>
#include <set>

#include "analysis/follow/peers.h"
#include "analysis/tables/collectives.h"
#include "analysis/transfers/alike_sizes.h"
#include "analysis/transfers/channel_ways.h"
#include "analysis/transfers/emptying.h"
#include "analysis/transfers/host_traffic.h"
#include "analysis/transfers/middle.h"

namespace lockstep::analysis {
namespace {

class Sampler {
 public:
  Sampler(const RunTables& run, const OwnSegments& own)
      : run_(run),
        own_(own),
        sizes_(run),
        peers_(run),
        send_(run.strings.find("Send")),
        ring_(run.strings.find("RING")),
        tree_(run.strings.find("TREE")) {}

  TransferSamples sample() {
    for (uint32_t m = 0; m < run_.matches.size(); ++m) {
      const MatchRow& match = run_.matches[m];
      if (match.comparable == 0 || match.arrivals < 2 || match.arrivals != match.expected) continue;
      const OperationRow& first = operation(match.first_arrival);
      if (first.ordinal + first.replay == 0 || first.kind == OpKind::Assembled) continue;
      if (first.kind == OpKind::PointToPoint) {
        if (match.arrivals == 2) take_pair(m);
      } else if (ends_together(run_.text(match.func))) {
        take_collective(m);
      } else if (is_chain(run_.text(match.func))) {
        chains_[{match.communicator, match.func, sizes_.of(match).bytes}].push_back(m);
      }
    }
    for (const auto& [key, matches] : chains_) take_chains(matches);
    TransferSamples samples;
    for (auto& [key, series] : rings_) {
      if (channels_.count(key) == 0) samples.rings.push_back(std::move(series));
    }
    for (auto& [key, all] : channels_) {
      for (SeriesOfChannel& one : all) samples.rings.push_back(std::move(one.series));
    }
    for (auto& [key, all] : trees_) {
      for (SeriesOfTree& one : all) samples.trees.push_back(std::move(one.series));
    }
    for (auto& [key, pair] : pairs_) samples.pairs.push_back(std::move(pair));
    return samples;
  }

 private:
  static bool is_chain(const std::string& func) { return func == "Broadcast" || func == "Reduce"; }
  const OperationRow& operation(uint32_t arrival) const {
    return run_.operations[run_.arrivals[arrival].operation];
  }
  Text host_of(uint32_t actor) const { return run_.processes[own_.actors[actor].process].host; }

  // Of the last transfer of the edge: `wire` and `gpu`.
  // s, r: rows of `arrivals`.
  void note_steps(uint32_t s, uint32_t r, EdgeSamples* edge) const {
    note_sends(operation(s), edge);
    note_receives(s, r, edge);
  }
  static void note_sends(const OperationRow& sender, EdgeSamples* edge) {
    if (sender.send_steps == 0) return;
    edge->wire.back() = sender.network_ns / sender.send_steps;
    edge->work.back() = sender.sending_ns / sender.send_steps;
  }
  void note_receives(uint32_t s, uint32_t r, EdgeSamples* edge) const {
    const int64_t late_ns = run_.arrivals[r].arrival_ns - run_.arrivals[s].arrival_ns;
    edge->gpu.back() = emptying_ns(operation(r), std::max<int64_t>(0, late_ns));
  }
  static int64_t between(int64_t sent_ns, int64_t come_ns) {
    return sent_ns == kNoTime || come_ns == kNoTime ? kNoTime : come_ns - sent_ns;
  }
  static void add_unknown(EdgeSamples* edge) {
    edge->lag.push_back(kNoTime);
    edge->uptake.push_back(kNoTime);
    edge->wire.push_back(kNoTime);
    edge->work.push_back(kNoTime);
    edge->gpu.push_back(kNoTime);
  }

  void take_pair(uint32_t m) {
    uint32_t s = run_.matches[m].first_arrival, r = s + 1;
    // All that a server exchanges shares its way to the network: nothing tells what one exchange should take.
    if (peers_.serves(run_.matches[m].communicator, operation(s).rank) ||
        peers_.serves(run_.matches[m].communicator, operation(r).rank))
      return;
    if (operation(s).func != send_) std::swap(s, r);
    const int64_t sender_ns = run_.arrivals[s].arrival_ns,
                  receiver_ns = run_.arrivals[r].arrival_ns;
    const Begin begin = receiver_ns > sender_ns ? Begin::Waited : Begin::Whole;
    const int64_t told_ns = operation(r).received_ns;
    take_send(m, s, r, begin, std::max(sender_ns, receiver_ns),
              told_ns != kNoTime ? told_ns : end_of_kernel(r));
  }
  // s, r: rows of `arrivals`.
  void take_send(uint32_t m, uint32_t s, uint32_t r, Begin begin, int64_t begun_ns,
                 int64_t received_ns) {
    const MatchRow& match = run_.matches[m];
    const OperationRow &sender = operation(s), &receiver = operation(r);
    const ArrivalRow &a = run_.arrivals[s], &b = run_.arrivals[r];
    if (a.arrival_ns == kNoTime || b.arrival_ns == kNoTime) return;
    if (received_ns == kNoTime) return;
    const uint32_t from = own_.actor_of(run_, sender.communicator, sender.rank);
    const uint32_t to = own_.actor_of(run_, receiver.communicator, receiver.rank);
    if (from == kNoRow || to == kNoRow) return;
    const bool network = host_of(from) != host_of(to);
    if (!network && receiver.proxy_ops != 0) return;  // ranks that share a host but not its memory
    const AlikeSize size = sizes_.of(match);
    const AlikeSends alike{match.func, size.bytes, begin, is_alone(s) && is_alone(r), network};
    PairSeries& pair = pairs_[{match.communicator, from, to, alike}];
    pair.communicator = match.communicator;
    pair.from = from;
    pair.to = to;
    pair.alike = alike;
    pair.edge.network = network;
    pair.matches.push_back(m);
    pair.times.push_back(size.scaled(received_ns - begun_ns));
    pair.whole.push_back(size.scaled(received_ns - a.arrival_ns));
    add_unknown(&pair.edge);
    if (!network) {
      pair.alone.push_back(pair.times.back());
      return;
    }
    if (!traffic_) traffic_.emplace(run_, own_);
    pair.alone.push_back(
        part_of(pair.times.back(),
                traffic_->share_of(m, host_of(from), host_of(to), begun_ns, received_ns)));
    if (receiver.received_ns == kNoTime || sender.sent_ns == kNoTime || sender.sent_ns < begun_ns)
      return;
    pair.edge.lag.back() = receiver.received_ns - sender.sent_ns;
    note_steps(s, r, &pair.edge);
  }

  // Without network operations. A kernel of several operations ends with the last of them.
  int64_t end_of_kernel(uint32_t arrival) const {
    return is_alone(arrival) ? operation(arrival).kernel_stop_ns : kNoTime;
  }
  // In its kernel.
  bool is_alone(uint32_t arrival) const {
    const uint32_t launch = own_.segments[arrival].launch;
    return own_.segments[arrival].actor != kNoRow &&
           own_.launch_begin[launch + 1] - own_.launch_begin[launch] == 1;
  }

  void take_chains(const std::vector<uint32_t>& matches) {
    for (const ChainEdge& edge : chain_edges(run_, sizes_, matches))
      take_send(edge.match, edge.from, edge.to, edge.begin, edge.begun_ns, edge.done_ns);
  }

  void take_collective(uint32_t m) {
    const MatchRow& match = run_.matches[m];
    const uint32_t begin = match.first_arrival, end = begin + match.arrivals;
    for (uint32_t a = begin; a < end; ++a) {
      const Segment& segment = own_.segments[a];
      if (segment.actor == kNoRow || !segment.counts || !segment.waits) return;
    }
    std::vector<uint32_t> by_rank(match.arrivals, kNoRow);
    Starts starts;
    int64_t last_end_ns = kNoTime;
    for (uint32_t a = begin; a < end; ++a) {
      const int32_t rank = run_.arrivals[a].rank;
      if (rank < 0 || static_cast<uint32_t>(rank) >= match.arrivals) return;
      by_rank[static_cast<size_t>(rank)] = a;
      last_end_ns = std::max(last_end_ns, own_.segments[a].end_ns);
      const int64_t before_ns = own_.last_start_ns[m] - own_.segments[a].start_ns;
      starts.apart_ns = std::max(starts.apart_ns, before_ns);
      if (before_ns == 0) starts.last = host_of(own_.segments[a].actor);
    }
    if (std::count(by_rank.begin(), by_rank.end(), kNoRow) != 0) return;
    const AlikeSize alike = sizes_.of(match);
    const Key key{match.communicator, match.func, alike.bytes};
    const Text algo = operation(begin).algo;
    const bool is_ring = algo == 0 || algo == ring_;
    if (algo == tree_ && algo != 0) take_trees(m, key, by_rank, starts, alike);
    RingSeries& series = rings_[key];
    if (series.actors.empty()) {
      begin_series(match, alike.bytes, by_rank, &series);
      if (!series.in_order && is_ring) begin_channels(key, series, by_rank);
    }
    if (const auto channels = channels_.find(key); channels != channels_.end()) {
      for (SeriesOfChannel& one : channels->second) take_channel(m, by_rank, starts, alike, &one);
      return;
    }
    if (series.edges.size() != match.arrivals) return;
    series.in_order = series.in_order && is_ring;
    series.matches.push_back(m);
    series.times.push_back(alike.scaled(last_end_ns - own_.last_start_ns[m]));
    note_starts(starts, alike, &series);
    for (size_t rank = 0; rank < by_rank.size(); ++rank)
      in_ring_[series.place[rank]] = by_rank[rank];
    for (size_t i = 0; i < by_rank.size(); ++i) {
      const uint32_t next = in_ring_[(i + 1) % by_rank.size()];
      take_edge(in_ring_[i], next, own_.last_start_ns[m], alike, &series.edges[i], &series);
    }
  }

  struct Starts {
    int64_t apart_ns = 0;
    Text last = 0;
  };
  static void note_starts(const Starts& starts, const AlikeSize& alike, RingSeries* series) {
    series->apart.push_back(alike.scaled(starts.apart_ns));
    series->last.push_back(starts.last);
  }

  void begin_series(const MatchRow& match, uint64_t alike_bytes,
                    const std::vector<uint32_t>& by_rank, RingSeries* series) {
    series->communicator = match.communicator;
    std::set<Text> hosts;
    for (const uint32_t a : by_rank) hosts.insert(host_of(own_.segments[a].actor));
    series->alike = {match.func, alike_bytes, static_cast<int32_t>(match.arrivals), hosts.size()};
    if (in_ring_.size() < by_rank.size()) in_ring_.resize(by_rank.size());
    const std::vector<uint32_t> ranks = ring_of(by_rank);
    series->in_order = ranks.size() == by_rank.size();
    series->place.resize(by_rank.size());
    for (uint32_t i = 0; i < by_rank.size(); ++i) {
      const uint32_t rank = series->in_order ? ranks[i] : i;
      series->place[rank] = i;
      series->actors.push_back(own_.segments[by_rank[rank]].actor);
    }
    series->edges.resize(by_rank.size());
    name_edges(series);
  }

  using Key = std::tuple<uint32_t, Text, uint64_t>;  // communicator, function, size
  struct SeriesOfChannel {
    ChannelRing ring;
    RingSeries series;
  };
  void begin_channels(const Key& key, const RingSeries& whole,
                      const std::vector<uint32_t>& by_rank) {
    std::map<Text, uint64_t> on_host;
    std::vector<uint32_t> operations;
    for (const uint32_t a : by_rank) {
      ++on_host[host_of(own_.segments[a].actor)];
      operations.push_back(run_.arrivals[a].operation);
    }
    std::vector<ChannelRing> rings = channel_rings(run_, operations);
    for (ChannelRing& ring : rings) {
      SeriesOfChannel& made = channels_[key].emplace_back();
      made.series = whole;
      made.series.in_order = true;
      made.series.channels = rings.size();
      made.series.channel = ring.channel;
      made.series.edges.clear();
      for (const ChannelEdge& edge : ring.edges) {
        EdgeSamples& samples = made.series.edges.emplace_back();
        samples.from = own_.segments[by_rank[edge.from]].actor;
        samples.to = own_.segments[by_rank[edge.to]].actor;
        samples.network = true;
        samples.role = on_host[host_of(samples.from)] << 32 | on_host[host_of(samples.to)];
      }
      made.ring = std::move(ring);
    }
  }

  // Channels work at the same time: each takes until the last of its receivers is done.
  void take_channel(uint32_t m, const std::vector<uint32_t>& by_rank, const Starts& starts,
                    const AlikeSize& alike, SeriesOfChannel* one) {
    const uint8_t channel = one->ring.channel;
    const auto end_of = [&](uint32_t rank, bool is_send, uint32_t peer) {
      return channel_end(run_, run_.arrivals[by_rank[rank]].operation, channel, is_send, peer);
    };
    const std::vector<ChannelEdge>& ring = one->ring.edges;
    std::vector<ChannelEndRow> received;
    std::vector<int64_t> received_ns;
    for (const ChannelEdge& edge : ring) {
      received.push_back(end_of(edge.to, false, edge.from));
      received_ns.push_back(received.back().done_ns);
    }
    if (std::count(received_ns.begin(), received_ns.end(), kNoTime) != 0) return;
    RingSeries& series = one->series;
    const int64_t begun_ns = own_.last_start_ns[m];
    series.matches.push_back(m);
    series.times.push_back(
        alike.scaled(*std::max_element(received_ns.begin(), received_ns.end()) - begun_ns));
    note_starts(starts, alike, &series);
    for (size_t i = 0; i < ring.size(); ++i) {
      EdgeSamples& edge = series.edges[i];
      const OperationRow& sender = operation(by_rank[ring[i].from]);
      const OperationRow& receiver = operation(by_rank[ring[i].to]);
      const int64_t before_ns = received_ns[(i + ring.size() - 1) % ring.size()];
      edge.later.push_back(alike.scaled(received_ns[i] - before_ns));
      add_unknown(&edge);
      const uint32_t sends = sending_channels(run_, run_.arrivals[by_rank[ring[i].from]].operation);
      if (sends != 0) series.steps = std::max<uint64_t>(series.steps, sender.planned_sends / sends);
      const ChannelEndRow sent = end_of(ring[i].from, true, ring[i].to);
      if (sent.done_ns == kNoTime || sent.done_ns < begun_ns) continue;
      edge.lag.back() = received_ns[i] - sent.done_ns;
      edge.uptake.back() = between(sent.seen_ns, received[i].seen_ns);
      // Steps are added up over the channels of an operation.
      if (sender.send_peer == receiver.rank) {
        note_sends(sender, &edge);
        series.sends = std::max<uint64_t>(series.sends, sender.planned_sends);
      }
      if (receiver.receive_peer == sender.rank)
        note_receives(by_rank[ring[i].from], by_rank[ring[i].to], &edge);
    }
  }

  struct SeriesOfTree {
    ChannelTree tree;
    TreeSeries series;
  };
  void take_trees(uint32_t m, const Key& key, const std::vector<uint32_t>& by_rank,
                  const Starts& starts, const AlikeSize& alike) {
    const auto [at, is_new] = trees_.try_emplace(key);
    if (is_new) begin_trees(m, alike, by_rank, &at->second);
    for (SeriesOfTree& one : at->second) {
      TreeSeries& series = one.series;
      series.matches.push_back(m);
      series.apart.push_back(alike.scaled(starts.apart_ns));
      const auto end_ns = [&](uint32_t operation, bool is_send, uint32_t peer) {
        const int64_t done_ns = channel_end_ns(run_, operation, one.tree.channel, is_send, peer);
        return done_ns == kNoTime ? kNoTime : alike.scaled(done_ns - own_.last_start_ns[m]);
      };
      for (size_t i = 0; i < series.edges.size(); ++i) {
        const auto& [from, to] = one.tree.edges[i];
        const uint32_t receiver = run_.arrivals[by_rank[to]].operation,
                       sender = run_.arrivals[by_rank[from]].operation;
        series.edges[i].sent.push_back(end_ns(sender, true, to));
        series.edges[i].received.push_back(end_ns(receiver, false, from));
        const ChannelEndRow sent = channel_end(run_, sender, one.tree.channel, true, to);
        series.edges[i].wire.push_back(sent.steps == 0 ? kNoTime : sent.work_ns / sent.steps);
        if (const uint32_t sends = sending_channels(run_, sender); sends != 0)
          series.steps =
              std::max<uint64_t>(series.steps, run_.operations[sender].planned_sends / sends);
      }
    }
  }
  void begin_trees(uint32_t m, const AlikeSize& alike, const std::vector<uint32_t>& by_rank,
                   std::vector<SeriesOfTree>* made) {
    std::set<Text> hosts;
    std::vector<uint32_t> operations;
    for (const uint32_t a : by_rank) {
      hosts.insert(host_of(own_.segments[a].actor));
      operations.push_back(run_.arrivals[a].operation);
    }
    for (ChannelTree& tree : channel_trees(run_, operations)) {
      TreeSeries& series = made->emplace_back().series;
      series.communicator = run_.matches[m].communicator;
      series.channel = tree.channel;
      series.alike = {run_.matches[m].func, alike.bytes, static_cast<int32_t>(by_rank.size()),
                      hosts.size()};
      for (const ChannelEdge& edge : tree.edges) {
        TreeEdge& made_edge = series.edges.emplace_back();
        made_edge.from = own_.segments[by_rank[edge.from]].actor;
        made_edge.to = own_.segments[by_rank[edge.to]].actor;
      }
      made->back().tree = std::move(tree);
    }
  }

  // The ranks as they follow each other; none: the peers that are named make no single ring.
  std::vector<uint32_t> ring_of(const std::vector<uint32_t>& by_rank) const {
    const auto count = static_cast<uint32_t>(by_rank.size());
    std::vector<uint32_t> ring;
    std::map<Text, std::vector<uint32_t>> of_host;
    uint32_t at = count;
    bool named = false;
    for (uint32_t rank = 0; rank < count; ++rank) {
      const OperationRow& row = operation(by_rank[rank]);
      if (row.send_peer == kSeveralPeers || row.receive_peer == kSeveralPeers) return ring;
      of_host[run_.processes[row.process].host].push_back(rank);
      named = named || row.send_peer >= 0;
      if (row.receive_peer >= 0) at = std::min(at, rank);
    }
    if (!named) at = 0;
    std::vector<uint8_t> passed(count);
    while (at < count && passed[at] == 0) {
      passed[at] = 1;
      ring.push_back(at);
      const OperationRow& row = operation(by_rank[at]);
      const auto next = static_cast<uint32_t>(row.send_peer);
      if (!named) {
        ++at;
      } else if (row.send_peer < 0) {
        at = next_in_host(at, of_host[run_.processes[row.process].host], by_rank, passed);
      } else {
        const bool agree = next < count && operation(by_rank[next]).receive_peer == row.rank;
        at = agree ? next : count;
      }
    }
    if (ring.size() != count || !passes_hosts_once(ring, by_rank, of_host.size())) ring.clear();
    return ring;
  }
  // Else it is two: hosts that send from one rank on one channel, and receive with it on another.
  bool passes_hosts_once(const std::vector<uint32_t>& ring, const std::vector<uint32_t>& by_rank,
                         size_t hosts) const {
    const auto host_at = [&](size_t i) {
      return run_.processes[operation(by_rank[ring[i % ring.size()]]).process].host;
    };
    size_t changes = 0;
    for (size_t i = 0; i < ring.size(); ++i) changes += host_at(i) != host_at(i + 1) ? 1 : 0;
    return changes <= hosts;
  }
  // ranks: of the host, ascending. The next of them that nobody is named to send to, those last that send
  // to another host.
  uint32_t next_in_host(uint32_t at, const std::vector<uint32_t>& ranks,
                        const std::vector<uint32_t>& by_rank,
                        const std::vector<uint8_t>& passed) const {
    const auto self =
        static_cast<size_t>(std::find(ranks.begin(), ranks.end(), at) - ranks.begin());
    auto leaves = static_cast<uint32_t>(by_rank.size());
    for (size_t i = 1; i < ranks.size(); ++i) {
      const uint32_t rank = ranks[(self + i) % ranks.size()];
      const OperationRow& row = operation(by_rank[rank]);
      if (passed[rank] != 0 || row.receive_peer >= 0) continue;
      if (row.send_peer < 0) return rank;
      leaves = rank;
    }
    return leaves;
  }

  // An edge is like another that has as many edges inside the host before and behind it.
  void name_edges(RingSeries* series) const {
    const size_t count = series->edges.size();
    const auto crosses = [&](size_t i) {
      return host_of(series->actors[i % count]) != host_of(series->actors[(i + 1) % count]);
    };
    for (size_t i = 0; i < count; ++i) {
      EdgeSamples& edge = series->edges[i];
      edge.from = series->actors[i];
      edge.to = series->actors[(i + 1) % count];
      edge.network = crosses(i);
      uint64_t ahead = 0, behind = 0;
      while (ahead < count && !crosses(i + ahead)) ++ahead;
      while (behind < count && !crosses(i + count - behind)) ++behind;
      // Up to the next edge between hosts, and the length of the host after it
      uint64_t next = ahead + 1;
      while (next < 2 * count && !crosses(i + next)) ++next;
      edge.role = (ahead << 20 | behind) << 20 | (next - ahead);
    }
  }

  void take_edge(uint32_t from, uint32_t to, int64_t begun_ns, const AlikeSize& alike,
                 EdgeSamples* edge, RingSeries* series) {
    const OperationRow &sender = operation(from), &receiver = operation(to);
    const bool ends = sender.kernel_stop_ns != kNoTime && receiver.kernel_stop_ns != kNoTime;
    const int64_t later_ns = ends ? receiver.kernel_stop_ns - sender.kernel_stop_ns : kNoTime;
    edge->later.push_back(alike.scaled(later_ns));
    if (!edge->network) return;
    add_unknown(edge);
    if (sender.send_peer != receiver.rank || receiver.receive_peer != sender.rank) {
      if (sender.send_peer != -1 || receiver.receive_peer != -1) series->in_order = false;
      return;
    }
    if (sender.sent_ns == kNoTime || receiver.received_ns == kNoTime) return;
    const auto channels = std::bitset<64>(sender.channels_mask).count();
    series->steps =
        std::max<uint64_t>(series->steps, sender.planned_sends / std::max<size_t>(1, channels));
    series->sends = std::max<uint64_t>(series->sends, sender.planned_sends);
    // What was sent before the receiver's kernel began waits for that.
    if (sender.sent_ns < begun_ns) return;
    edge->lag.back() = receiver.received_ns - sender.sent_ns;
    edge->uptake.back() = between(sender.sends_seen_ns, receiver.receives_seen_ns);
    note_steps(from, to, edge);
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const AlikeSizes sizes_;
  const Peers peers_;
  const Text send_, ring_, tree_;
  std::map<Key, RingSeries> rings_;
  std::map<Key, std::vector<SeriesOfChannel>> channels_;  // instead, where channels differ
  std::map<Key, std::vector<SeriesOfTree>> trees_;        // beside it
  std::map<Key, std::vector<uint32_t>> chains_;           // rows of `matches`
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, AlikeSends>, PairSeries> pairs_;
  std::optional<HostTraffic> traffic_;  // once there is a pair
  std::vector<uint32_t> in_ring_;       // rows of `arrivals`, of the operation at hand
};

}  // namespace

TransferSamples sample_transfers(const RunTables& run, const OwnSegments& own) {
  return Sampler(run, own).sample();
}

}  // namespace lockstep::analysis
