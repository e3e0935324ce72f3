#include "analysis/whatif/transfer_excess.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// A low quantile, as for lateness: of edges, or of communicators.
constexpr double kReference = 0.35;
constexpr size_t kFewest = 8;
// So many times its own inexactness an excess must be.
constexpr double kTimesError = 4;
// What is less than this part of an operation's time does not matter.
constexpr double kLeastPart = 0.02;
constexpr int64_t kLeastNs = 3'000;
// What ranks end later than their neighbours, likewise: start times leave traces there.
constexpr double kLeastStretch = 0.05, kLeastStretchOfTwo = 0.1;
// What only these show must be so much of an operation's time.
constexpr double kLeastOfGuess = 0.2;
// An edge that shows less than this beside the worst of its ring is none.
constexpr double kTrifle = 0.04;

// The middle of some values, and how far from the truth it may be.
struct Middle {
  int64_t ns = 0, error_ns = 0;
  size_t count = 0;
  bool known() const { return count >= kFewest; }
};
Middle middle_of(std::vector<int64_t>* values) {
  Middle middle;
  middle.count = values->size();
  if (values->empty()) return middle;
  middle.ns = quantile(values, 0.5);
  const int64_t spread = quantile(values, 0.75) - quantile(values, 0.25);
  middle.error_ns = static_cast<int64_t>(static_cast<double>(spread) /
                                         std::sqrt(static_cast<double>(middle.count)));
  return middle;
}
int64_t reference_of(std::vector<int64_t> values) { return quantile(&values, kReference); }

// One edge of a ring, from a rank to the next.
struct RingEdge {
  bool network = false;
  uint64_t role = 0;  // edges of a role are alike
  std::vector<int64_t> later, lag, wire, gpu;
  Middle later_by, lag_by, wire_by, gpu_by;
};

// The operations of one function and size on one communicator.
struct Series {
  uint32_t communicator = kNoRow;
  std::tuple<Text, uint64_t, int32_t, size_t> alike;  // function, size, ranks, hosts
  std::vector<uint32_t> actors;                       // by rank
  std::vector<uint32_t> matches;
  std::vector<int64_t> times;
  Middle time;
  uint64_t steps = 0;  // over one edge, on a channel
  std::vector<RingEdge> edges;
  bool in_order = true;  // the ring goes from each rank to the next, as far as edges are known
};

// The sends of one rank to another on another host, of one size.
struct Pair {
  uint32_t communicator = kNoRow, from = kNoRow, to = kNoRow;
  uint64_t size_bytes = 0;
  std::vector<uint32_t> matches;
  std::vector<int64_t> times, lag, wire, gpu;
  Middle time, lag_by, wire_by, gpu_by;
};

class Finder {
 public:
  Finder(const RunTables& run, const OwnSegments& own)
      : run_(run), own_(own), send_(run.strings.find("Send")) {}

  std::vector<TransferExcess> find() {
    for (uint32_t m = 0; m < run_.matches.size(); ++m) {
      const MatchRow& match = run_.matches[m];
      if (match.comparable == 0 || match.arrivals < 2 || match.arrivals != match.expected) continue;
      const OperationRow& first = operation(match.first_arrival);
      if (first.ordinal + first.replay == 0 || first.kind == OpKind::Assembled) continue;
      if (first.kind == OpKind::PointToPoint) {
        if (match.arrivals == 2) take_pair(m);
      } else if (is_ring(run_.text(match.func))) {
        take_collective(m);
      }
    }
    judge_pairs();
    judge_series();
    return std::move(out_);
  }

 private:
  // All ranks wait for all others there, and data goes round.
  static bool is_ring(const std::string& func) {
    return func == "AllReduce" || func == "AllGather" || func == "ReduceScatter";
  }
  const OperationRow& operation(uint32_t arrival) const {
    return run_.operations[run_.arrivals[arrival].operation];
  }
  Text host_of(uint32_t actor) const { return run_.processes[own_.actors[actor].process].host; }

  uint32_t actor_of(const OperationRow& row) const {
    const CommunicatorRow& comm = run_.communicators[row.communicator];
    const auto begin = run_.members.begin() + comm.first_member, end = begin + comm.members;
    auto at = begin + std::min<int32_t>(std::max(row.rank, 0), static_cast<int32_t>(comm.members));
    if (at == end || at->rank != row.rank)
      at = std::find_if(begin, end, [&](const MemberRow& one) { return one.rank == row.rank; });
    return at == end ? kNoRow : own_.actor_of(run_, *at);
  }

  static void note_steps(const OperationRow& sender, const OperationRow& receiver,
                         std::vector<int64_t>* wire, std::vector<int64_t>* gpu) {
    if (sender.send_steps != 0) wire->push_back(sender.network_ns / sender.send_steps);
    const uint32_t received = receiver.steps - receiver.send_steps;
    if (received != 0)
      gpu->push_back((receiver.gpu_wait_ns - receiver.send_gpu_wait_ns) / received);
  }

  void take_pair(uint32_t m) {
    const MatchRow& match = run_.matches[m];
    uint32_t s = match.first_arrival, r = s + 1;
    if (operation(s).func != send_) std::swap(s, r);
    const OperationRow &sender = operation(s), &receiver = operation(r);
    const ArrivalRow &a = run_.arrivals[s], &b = run_.arrivals[r];
    if (a.arrival_ns == kNoTime || b.arrival_ns == kNoTime) return;
    if (receiver.received_ns == kNoTime || sender.sent_ns == kNoTime) return;
    const uint32_t from = actor_of(sender), to = actor_of(receiver);
    if (from == kNoRow || to == kNoRow || host_of(from) == host_of(to)) return;
    Pair& pair = pairs_[{match.communicator, from, to, match.size_bytes}];
    pair.communicator = match.communicator;
    pair.from = from;
    pair.to = to;
    pair.size_bytes = match.size_bytes;
    pair.matches.push_back(m);
    pair.times.push_back(receiver.received_ns - std::max(a.arrival_ns, b.arrival_ns));
    if (sender.sent_ns < std::max(a.arrival_ns, b.arrival_ns)) return;
    pair.lag.push_back(receiver.received_ns - sender.sent_ns);
    note_steps(sender, receiver, &pair.wire, &pair.gpu);
  }

  void take_collective(uint32_t m) {
    const MatchRow& match = run_.matches[m];
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      const Segment& segment = own_.segments[a];
      if (segment.actor == kNoRow || !segment.counts || !segment.waits) return;
    }
    Series& series = series_[{match.communicator, match.func, match.size_bytes}];
    if (series.actors.empty() && !begin_series(match, &series)) return;
    if (series.edges.size() != match.arrivals) return;
    std::vector<uint32_t> by_rank(match.arrivals, kNoRow);
    int64_t last_end_ns = kNoTime;
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      const int32_t rank = run_.arrivals[a].rank;
      if (rank < 0 || static_cast<uint32_t>(rank) >= match.arrivals) return;
      by_rank[static_cast<size_t>(rank)] = a;
      last_end_ns = std::max(last_end_ns, own_.segments[a].end_ns);
    }
    if (std::count(by_rank.begin(), by_rank.end(), kNoRow) != 0) return;
    series.matches.push_back(m);
    series.times.push_back(last_end_ns - own_.last_start_ns[m]);
    for (size_t i = 0; i < by_rank.size(); ++i)
      take_edge(by_rank[i], by_rank[(i + 1) % by_rank.size()], i, own_.last_start_ns[m], &series);
  }
  bool begin_series(const MatchRow& match, Series* series) {
    series->communicator = match.communicator;
    series->actors.assign(match.arrivals, kNoRow);
    std::set<Text> hosts;
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      const auto rank = static_cast<size_t>(run_.arrivals[a].rank);
      if (rank >= series->actors.size()) return false;
      series->actors[rank] = own_.segments[a].actor;
      hosts.insert(host_of(own_.segments[a].actor));
    }
    series->alike = {match.func, match.size_bytes, static_cast<int32_t>(match.arrivals),
                     hosts.size()};
    series->edges.resize(match.arrivals);
    name_edges(series);
    return true;
  }
  // An edge is like another that has as many edges inside the host before and behind it.
  void name_edges(Series* series) const {
    const size_t count = series->edges.size();
    const auto crosses = [&](size_t i) {
      return host_of(series->actors[i % count]) != host_of(series->actors[(i + 1) % count]);
    };
    for (size_t i = 0; i < count; ++i) {
      RingEdge& edge = series->edges[i];
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
  void take_edge(uint32_t from, uint32_t to, size_t i, int64_t begun_ns, Series* series) {
    RingEdge& edge = series->edges[i];
    const OperationRow &sender = operation(from), &receiver = operation(to);
    if (sender.kernel_stop_ns != kNoTime && receiver.kernel_stop_ns != kNoTime)
      edge.later.push_back(receiver.kernel_stop_ns - sender.kernel_stop_ns);
    if (!edge.network) return;
    if (sender.send_peer != receiver.rank || receiver.receive_peer != sender.rank) {
      if (sender.send_peer >= 0 || receiver.receive_peer >= 0) series->in_order = false;
      return;
    }
    if (sender.sent_ns == kNoTime || receiver.received_ns == kNoTime) return;
    const auto channels = std::bitset<64>(sender.channels_mask).count();
    series->steps =
        std::max<uint64_t>(series->steps, sender.planned_sends / std::max<size_t>(1, channels));
    // What was sent before the receiver's kernel began waits for that.
    if (sender.sent_ns < begun_ns) return;
    edge.lag.push_back(receiver.received_ns - sender.sent_ns);
    note_steps(sender, receiver, &edge.wire, &edge.gpu);
  }

  static bool stands_out(const Middle& middle, int64_t usual_ns, int64_t least_ns) {
    return middle.known() &&
           middle.ns - usual_ns >=
               std::max({least_ns, kLeastNs,
                         static_cast<int64_t>(kTimesError * static_cast<double>(middle.error_ns))});
  }

  // Network steps tell how long the receiver's GPU takes to empty a buffer.
  static SlowSide receiver_side(const Middle& lag, int64_t usual_lag_ns, const Middle& gpu,
                                int64_t usual_gpu_ns) {
    if (!gpu.known()) return SlowSide::Receiver;
    return gpu.ns - usual_gpu_ns > (lag.ns - usual_lag_ns) / 2 ? SlowSide::ReceiverGpu
                                                               : SlowSide::ReceiverProxy;
  }

  void judge_pairs() {
    std::map<uint64_t, std::vector<Pair*>> classes;  // by size
    for (auto& [key, pair] : pairs_) {
      pair.time = middle_of(&pair.times);
      pair.lag_by = middle_of(&pair.lag);
      pair.wire_by = middle_of(&pair.wire);
      pair.gpu_by = middle_of(&pair.gpu);
      if (pair.time.known()) classes[pair.size_bytes].push_back(&pair);
    }
    for (auto& [size_bytes, pairs] : classes) {
      if (pairs.size() < 2) continue;
      std::vector<int64_t> times, lags, wires, gpus;
      for (const Pair* pair : pairs) {
        times.push_back(pair->time.ns);
        lags.push_back(pair->lag_by.ns);
        wires.push_back(pair->wire_by.ns);
        gpus.push_back(pair->gpu_by.ns);
      }
      const int64_t usual_ns = reference_of(times), lag_ns = reference_of(lags),
                    wire_ns = reference_of(wires), gpu_ns = reference_of(gpus);
      const auto least_ns = static_cast<int64_t>(kLeastPart * static_cast<double>(usual_ns));
      for (Pair* pair : pairs) {
        if (!stands_out(pair->time, usual_ns, least_ns)) continue;
        TransferExcess excess;
        excess.excess_ns = pair->time.ns - usual_ns;
        excess.usual_ns = usual_ns;
        excess.actors = {pair->from, pair->to};
        excess.communicator = pair->communicator;
        excess.matches = pair->matches;
        const int64_t half_ns = excess.excess_ns / 2;
        if (stands_out(pair->lag_by, lag_ns, std::min(half_ns, usual_ns / 4))) {
          excess.side = receiver_side(pair->lag_by, lag_ns, pair->gpu_by, gpu_ns);
        } else if (pair->wire_by.known() && stands_out(pair->wire_by, wire_ns, wire_ns / 20)) {
          excess.side = SlowSide::Link;
        } else {
          excess.side = pair->wire_by.known() ? SlowSide::Sender : SlowSide::SenderOrLink;
        }
        out_.push_back(std::move(excess));
      }
    }
  }

  void judge_series() {
    std::map<std::tuple<Text, uint64_t, int32_t, size_t>, std::vector<Series*>> classes;
    for (auto& [key, series] : series_) {
      series.time = middle_of(&series.times);
      if (!series.time.known()) continue;
      for (RingEdge& edge : series.edges) {
        edge.later_by = middle_of(&edge.later);
        edge.lag_by = middle_of(&edge.lag);
        edge.wire_by = middle_of(&edge.wire);
        edge.gpu_by = middle_of(&edge.gpu);
      }
      classes[series.alike].push_back(&series);
    }
    for (auto& [alike, all] : classes) judge_class(all);
  }

  struct Usual {
    std::vector<int64_t> later, lag, wire, gpu;
  };
  void judge_class(const std::vector<Series*>& all) {
    std::map<uint64_t, Usual> usual;  // by role
    std::vector<int64_t> times;
    for (const Series* series : all) {
      times.push_back(series->time.ns);
      for (const RingEdge& edge : series->edges) {
        Usual& of_role = usual[edge.role];
        if (edge.later_by.known()) of_role.later.push_back(edge.later_by.ns);
        if (edge.lag_by.known()) of_role.lag.push_back(edge.lag_by.ns);
        if (edge.wire_by.known()) of_role.wire.push_back(edge.wire_by.ns);
        if (edge.gpu_by.known()) of_role.gpu.push_back(edge.gpu_by.ns);
      }
    }
    const int64_t usual_ns = reference_of(times);
    const int64_t slowest_ns = *std::max_element(times.begin(), times.end());
    for (Series* series : all) judge_one(*series, usual, usual_ns, slowest_ns, all.size());
  }

  // Inside one host ranks do not end in the order of a ring.
  static bool crosses_hosts(const Series& series) { return std::get<3>(series.alike) > 1; }

  // What slow edges cost, as far as the ends of their ranks tell, by edge. Behind a slow edge ranks
  // end later, each than the one before it, up to its receiver: that is one stretch of edges. It
  // begins before the first slow one, whose sender's predecessor goes without its last data twice.
  std::vector<int64_t> runs_of(const Series& series, const std::map<uint64_t, Usual>& usual) const {
    const size_t count = series.edges.size();
    std::vector<int64_t> more(count), runs(count);
    const auto least_ns = static_cast<int64_t>((count == 2 ? kLeastStretchOfTwo : kLeastStretch) *
                                               static_cast<double>(series.time.ns));
    for (size_t i = 0; i < count; ++i) {
      const RingEdge& edge = series.edges[i];
      const Usual& same = usual.at(edge.role);
      // The differences add up to 0 around a ring: beside a slow edge all others are below it.
      const int64_t usual_ns = count == 2 ? 0 : std::max<int64_t>(0, reference_of(same.later));
      if (same.later.size() > 1 && stands_out(edge.later_by, usual_ns, least_ns))
        more[i] = edge.later_by.ns - usual_ns;
    }
    // A rank that is slow at both of its edges shows at the second one but a little.
    for (size_t k = 0, i = 0; count > 2 && k < 2 * count; ++k, i = (i + 1) % count) {
      const RingEdge& edge = series.edges[(i + 1) % count];
      const int64_t usual_ns = reference_of(usual.at(edge.role).later);
      if (more[i] != 0 && more[(i + 1) % count] == 0 && edge.later_by.ns > 0 &&
          stands_out(edge.later_by, std::max<int64_t>(0, usual_ns), 0))
        more[(i + 1) % count] = edge.later_by.ns - usual_ns;
    }
    size_t start = 0;
    while (start < count && more[start] != 0) ++start;
    if (start == count) return runs;
    for (size_t k = 1; k <= count; ++k) {
      const size_t begin = (start + k) % count;
      if (more[begin] == 0) continue;
      size_t length = 0;
      int64_t all_ns = 0;
      while (more[(begin + length) % count] != 0) all_ns += more[(begin + length++) % count];
      const size_t skipped = length > 1 ? 1 : 0;
      for (size_t i = skipped; i < length; ++i)
        runs[(begin + i) % count] = all_ns / static_cast<int64_t>(length - skipped);
      k += length - 1;
    }
    return runs;
  }

  void judge_one(const Series& series, const std::map<uint64_t, Usual>& usual, int64_t usual_ns,
                 int64_t slowest_ns, size_t alike) {
    const size_t first = out_.size();
    const std::vector<int64_t> run_ns = runs_of(series, usual);
    // What goes round once tells too little of edges inside a host.
    const bool twice = run_.text(std::get<0>(series.alike)) == "AllReduce";
    const bool goes_round = series.in_order && crosses_hosts(series);
    const auto hops = static_cast<int64_t>(series.edges.size()) - 1;
    const int64_t passes =
        std::max<int64_t>(1, hops > 0 ? static_cast<int64_t>(series.steps) / hops : 1);
    const auto least_ns = static_cast<int64_t>(kLeastPart * static_cast<double>(series.time.ns) /
                                               static_cast<double>(passes));
    for (size_t i = 0; i < series.edges.size() && goes_round; ++i) {
      const RingEdge& edge = series.edges[i];
      const Usual& same = usual.at(edge.role);
      const int64_t later_ns = reference_of(same.later), lag_ns = reference_of(same.lag),
                    wire_ns = reference_of(same.wire), gpu_ns = reference_of(same.gpu);
      TransferExcess excess;
      int64_t seen_ns = 0;  // more than usual
      excess.actors = {series.actors[i], series.actors[(i + 1) % series.actors.size()]};
      if (same.lag.size() > 1 && stands_out(edge.lag_by, lag_ns, least_ns)) {
        excess.side = receiver_side(edge.lag_by, lag_ns, edge.gpu_by, gpu_ns);
        seen_ns = edge.lag_by.ns - lag_ns;
      } else if (same.wire.size() > 1 && stands_out(edge.wire_by, wire_ns, least_ns)) {
        excess.side = SlowSide::Link;
        seen_ns = edge.wire_by.ns - wire_ns;
      } else if (run_ns[i] > 0 && (edge.network || twice)) {
        excess.side = edge.wire_by.known() ? SlowSide::Sender : SlowSide::SenderOrLink;
        seen_ns = edge.later_by.ns - later_ns;
      } else {
        continue;
      }
      excess.excess_ns = run_ns[i] > 0 ? run_ns[i] : passes * seen_ns;
      excess.excess_ns = std::min(excess.excess_ns, series.time.ns * 9 / 10);
      finish(series, &excess);
      out_.push_back(std::move(excess));
    }
    const auto least_time_ns = static_cast<int64_t>(kLeastPart * static_cast<double>(usual_ns));
    const bool longer = alike > 1 && stands_out(series.time, usual_ns, least_time_ns);
    // Where communicators differ, only what the slow ones show counts.
    if (!longer && series.time.ns * 11 / 10 < slowest_ns) out_.resize(first);
    if (first != out_.size()) return share(series, first, longer ? series.time.ns - usual_ns : 0);
    if (!longer) return;
    TransferExcess excess;
    excess.actors = series.actors;
    excess.excess_ns = series.time.ns - usual_ns;
    finish(series, &excess);
    out_.push_back(std::move(excess));
  }
  // Slow edges of a ring hold each other up, and one that is cured leaves the others: how much later
  // ranks are done behind each depends on how far apart they are. So all have the same part of the
  // whole, but those that hardly show beside the worst. What network steps show outright needs no
  // other explanation. more_ns: the whole, where it is known.
  void share(const Series& series, size_t first, int64_t more_ns) {
    const auto begin = out_.begin() + static_cast<ptrdiff_t>(first);
    int64_t worst_ns = 0, all_ns = 0;
    const bool link = std::any_of(
        begin, out_.end(), [](const TransferExcess& one) { return one.side == SlowSide::Link; });
    for (auto one = begin; one != out_.end(); ++one) worst_ns = std::max(worst_ns, one->excess_ns);
    out_.erase(std::remove_if(begin, out_.end(),
                              [&](const TransferExcess& one) {
                                return (link && is_guess(one.side)) ||
                                       static_cast<double>(one.excess_ns) <
                                           kTrifle * static_cast<double>(worst_ns);
                              }),
               out_.end());
    for (size_t i = first; i < out_.size(); ++i) all_ns += out_[i].excess_ns;
    if (more_ns != 0) all_ns = more_ns;
    all_ns = std::min(all_ns, series.time.ns * 9 / 10);
    const bool guess = std::all_of(out_.begin() + static_cast<ptrdiff_t>(first), out_.end(),
                                   [](const TransferExcess& one) { return is_guess(one.side); });
    if (guess && static_cast<double>(all_ns) < kLeastOfGuess * static_cast<double>(series.time.ns))
      return out_.resize(first);
    for (size_t i = first; i < out_.size(); ++i) {
      out_[i].excess_ns = all_ns / static_cast<int64_t>(out_.size() - first);
      out_[i].usual_ns = series.time.ns - all_ns;
    }
  }
  static bool is_guess(SlowSide side) {
    return side == SlowSide::SenderOrLink || side == SlowSide::Sender;
  }
  static void finish(const Series& series, TransferExcess* excess) {
    excess->communicator = series.communicator;
    excess->matches = series.matches;
    excess->usual_ns = std::max<int64_t>(1, series.time.ns - excess->excess_ns);
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Text send_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t, uint64_t>, Pair> pairs_;
  std::map<std::tuple<uint32_t, Text, uint64_t>, Series> series_;
  std::vector<TransferExcess> out_;
};

}  // namespace

std::vector<TransferExcess> find_transfer_excesses(const RunTables& run, const OwnSegments& own) {
  return Finder(run, own).find();
}

}  // namespace lockstep::analysis
