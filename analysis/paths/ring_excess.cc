#include "analysis/paths/ring_excess.h"

#include <algorithm>

#include "analysis/paths/receiver_or_way.h"

namespace lockstep::analysis {
namespace {

// What is less than this part of an operation's time does not matter.
constexpr double kLeastPartOfRing = 0.02;
// What ranks end later than their neighbours, likewise: start times leave traces there.
constexpr double kLeastStretch = 0.05, kLeastStretchOfTwo = 0.1;
// What only these show must be so much of an operation's time.
constexpr double kLeastOfGuess = 0.2, kLeastOfGuessTogether = 0.08;
// Of what the slow edge into a host shows, what the one out of it shows if that is slow, too; and of what
// an edge shows, what the one before it must show.
constexpr double kOfEdgeBefore = 0.08, kOfEdgeBehind = 0.4;
// Of what one of two slow edges shows, what the other must, where each is slow in some operations only.
constexpr double kOfOtherEdge = 0.3;
// Ends show a passage or two: of more steps than so many over an edge that is the smaller part. Late starts
// leave traces that do not depend on steps: so these must be so many times smaller.
constexpr uint64_t kStepsShown = 12;
constexpr int64_t kBeyondApart = 2;
// An edge that shows less than this beside the worst of its ring is none.
constexpr double kRingTrifle = 0.04;
// Of what a receiver is done later by, what its host's way out shows where that holds it up.
constexpr double kHeldUpByWayOut = 0.5;
constexpr size_t kFewestInRow = 3;
// Of what the receiver that holds it up shows, by its lag and by its end, a receiver that is held up shows less than this.
constexpr double kFarLess = 0.6;
constexpr double kAsMuch = 0.9;
// Of what operations take longer, what lags and links must show on their own.
constexpr double kLeastOfMore = 0.25;
// Of an operation's time, how long the link that sets its pace works.
constexpr double kSetsThePace = 0.7;

class Judge {
 public:
  Judge(const RunTables& run, const RingSeries& series, const SeenRing& seen,
        const std::vector<UsualEdge>& usual)
      : series_(series),
        seen_(seen),
        usual_(usual),
        count_(series.edges.size()),
        twice_(run.text(std::get<0>(series.alike)) == "AllReduce") {}

  std::vector<TransferExcess> judge(int64_t more_ns) {
    if (!series_.in_order || !series_.crosses_hosts()) return {};
    find_stretches();
    follow_hosts();
    find_slow_hosts();
    follow_hosts();
    acquit_what_waits_for_room();
    for (size_t i = 0; i < count_; ++i) judge_edge(i);
    explain_lags();
    tell_ways_from_receivers(series_, seen_, usual_, &out_);
    share(more_ns);
    name_ways_out(series_, seen_, &out_);
    return std::move(out_);
  }

 private:
  // How much later the receiver of an edge usually is done than its sender.
  int64_t usual_later(size_t i) const { return usual_[i].later_ns; }

  // So many times what ends show of a slow edge it costs, at least. A channel's, which are those of its receives, show all.
  double hidden() const {
    return std::max(1.0, static_cast<double>(series_.steps) / static_cast<double>(kStepsShown));
  }

  // What slow edges cost, as far as the ends of their ranks tell, by edge. Behind a slow edge ranks end later, each than
  // the one before it, up to its receiver: that is one stretch of edges. It begins before the first slow one, whose
  // sender's predecessor goes without its last data twice.
  void find_stretches() {
    stretch_ns_.assign(count_, 0);
    unsteady_.assign(count_, 0);
    followed_.assign(count_, 0);
    last_starters_.assign(count_, 0);
    std::vector<int64_t> more(count_);
    const int64_t least_ns =
        part_of(seen_.time.ns, count_ == 2 ? kLeastStretchOfTwo : kLeastStretch);
    for (size_t i = 0; i < count_; ++i) more[i] = later_than_usual(i, least_ns);
    if (hidden() > 1 && std::count(more.begin(), more.end(), 0) == static_cast<ptrdiff_t>(count_)) {
      const int64_t beyond_ns =
          std::max(part_of(least_ns, 1 / hidden()), kBeyondApart * seen_.apart_ns);
      for (size_t i = 0; i < count_; ++i) {
        if (!series_.edges[i].network) continue;
        more[i] = later_than_usual(i, part_of(seen_.time.ns, kLeastStretch / hidden()));
        if (last_starters_[i] == 0 && more[i] < beyond_ns) more[i] = 0;
      }
      if (!are_of_one_host(series_, more)) std::fill(more.begin(), more.end(), 0);
    }
    // A rank that is slow at both of its edges shows at the second one but a little.
    for (size_t k = 0, i = 0; count_ > 2 && k < 2 * count_; ++k, i = (i + 1) % count_) {
      const size_t next = (i + 1) % count_;
      const Middle& later = seen_.edges[next].later;
      if (more[i] != 0 && more[next] == 0 && usual_later(next) != kNoTime)
        more[next] = more_of_second(later, usual_[next]);
    }
    size_t start = 0;
    while (start < count_ && more[start] != 0) ++start;
    if (start == count_) return;
    for (size_t k = 1; k <= count_; ++k) {
      const size_t begin = (start + k) % count_;
      if (more[begin] == 0) continue;
      size_t length = 0;
      int64_t all_ns = 0;
      while (more[(begin + length) % count_] != 0) all_ns += more[(begin + length++) % count_];
      const size_t skipped = length > 1 ? 1 : 0;
      for (size_t i = skipped; i < length; ++i)
        stretch_ns_[(begin + i) % count_] = all_ns / static_cast<int64_t>(length - skipped);
      k += length - 1;
    }
  }

  // 0: by less than that.
  int64_t later_than_usual(size_t i, int64_t least_ns) {
    const Middle& later = seen_.edges[i].later;
    const int64_t sure_ns = std::max(least_ns, usual_[i].unsure_ns);
    if (usual_later(i) == kNoTime || !stands_out(later, usual_later(i), sure_ns)) return 0;
    // Who starts last leaves its trace in the ends of this operation and of those that follow it without
    // a pause: ends then lie in two heaps, and chance alone makes one the larger.
    unsteady_[i] = later.at_least_ns - usual_later(i) < least_ns ? 1 : 0;
    last_starters_[i] = starters_that_show(seen_.edges[i].least_later, later, usual_later(i));
    return later.ns - usual_later(i);
  }
  // Above what edges show that are not slow.
  double shown(size_t i) const {
    return static_cast<double>(seen_.edges[i].later.ns - usual_[i].beside_ns);
  }
  // A host's way to the network is that of the data that comes in and of the data that goes out.
  void follow_hosts() {
    std::vector<size_t> network = series_.network_edges();
    network.erase(std::remove_if(network.begin(), network.end(),
                                 [&](size_t i) { return usual_[i].beside_ns == kNoTime; }),
                  network.end());
    const std::vector<int64_t> before = stretch_ns_;
    for (size_t k = 0; k < network.size(); ++k) {
      const size_t into = network[k], out = network[(k + 1) % network.size()];
      const Middle& later = seen_.edges[out].later;
      const auto least_ns = static_cast<int64_t>(kOfEdgeBefore * std::max(0.0, shown(into)));
      if (before[into] != 0 && before[out] == 0 && followed_[into] == 0 &&
          (stands_out(later, usual_[out].beside_ns, least_ns) ||
           later.at_least_ns - usual_[out].beside_ns >= least_ns)) {
        stretch_ns_[out] = before[into];
        followed_[out] = 1;
      }
      if (before[into] != 0 && before[out] != 0 && shown(into) < kOfEdgeBehind * shown(out))
        stretch_ns_[into] = 0;
    }
  }

  // Of two slow edges, that into a host and that out of it, now the one shows more and now the other, but
  // both together always the same.
  void find_slow_hosts() {
    const std::vector<size_t> network = series_.network_edges();
    if (network.size() < 3) return;
    const int64_t usually_least_ns = part_of(seen_.time.ns, kLeastStretch);
    for (size_t k = 0; k < network.size(); ++k) {
      const size_t into = network[k], out = network[(k + 1) % network.size()];
      if (usual_later(into) == kNoTime || usual_later(out) == kNoTime) return;
      int64_t usual_ns = usual_later(into) + usual_later(out);
      for (size_t i = (into + 1) % count_; i != out; i = (i + 1) % count_) {
        if (usual_later(i) == kNoTime) return;
        usual_ns += usual_later(i);
      }
      // These wait for room behind the next.
      if (network.size() > kFewestInRow && stretch_ns_[network[(k + 2) % network.size()]] > 0)
        continue;
      const Middle& passage = seen_.passages[into];
      const size_t starters = starters_that_show(seen_.least_passages[into], passage, usual_ns);
      const int64_t least_ns = part_of(usually_least_ns, starters != 0 ? 1 / hidden() : 1);
      if (!stands_out(passage, usual_ns, least_ns) || passage.at_least_ns - usual_ns < least_ns)
        continue;
      const bool one_tells =
          is_steadily_slow(into, least_ns) || is_steadily_slow(out, least_ns) ||
          std::min(shown(into), shown(out)) < kOfOtherEdge * std::max(shown(into), shown(out));
      if (one_tells && !take_turns(into, out, passage.ns - usual_ns)) continue;
      // Not an edge inside the host, nor one of the two alone.
      if (never_shows(into) || never_shows(out) ||
          shown(into) + shown(out) < static_cast<double>(passage.ns - usual_ns) / 2)
        continue;
      for (const size_t i : {into, out}) {
        stretch_ns_[i] = (passage.ns - usual_ns) / 2;
        unsteady_[i] = 0;
        last_starters_[i] = std::max(last_starters_[i], starters);
      }
    }
  }
  // Before a slow way others wait for room behind it, and all show as much. So of several in a row it is the last, or
  // the last two, which are those of one host, where the first of these shows clearly less than the one before it.
  void acquit_what_waits_for_room() {
    const std::vector<size_t> network = series_.network_edges();
    const auto at = [&](size_t k) { return network[k % network.size()]; };
    const auto is_slow = [&](size_t k) { return stretch_ns_[at(k)] > 0; };
    for (size_t begin = 1; begin <= network.size(); ++begin) {
      if (is_slow(begin - 1)) continue;
      size_t length = 0;
      while (length < network.size() && is_slow(begin + length)) ++length;
      if (length < kFewestInRow) continue;
      const size_t last = begin + length - 1;
      const bool of_host = shown(at(last - 1)) < kAsMuch * shown(at(last - 2));
      const size_t slow = at(of_host ? last - 1 : last);
      for (size_t i = at(begin); i != slow; i = (i + 1) % count_) stretch_ns_[i] = 0;
    }
  }
  bool never_shows(size_t i) const { return seen_.edges[i].later.at_most_ns < usual_[i].beside_ns; }
  // Each shows now much of it and now little.
  bool take_turns(size_t into, size_t out, int64_t excess_ns) const {
    const auto varies = [&](const Middle& later) {
      return later.at_most_ns - later.at_least_ns >= excess_ns / 2;
    };
    return varies(seen_.edges[into].later) && varies(seen_.edges[out].later);
  }
  bool is_steadily_slow(size_t i, int64_t least_ns) const {
    return seen_.edges[i].later.at_least_ns - usual_later(i) >= least_ns;
  }

  void judge_edge(size_t i) {
    const SeenEdge& seen = seen_.edges[i];
    const UsualEdge& usual = usual_[i];
    const int64_t passes = series_.passes();
    const auto least_ns = part_of(seen_.time.ns, kLeastPartOfRing / static_cast<double>(passes));
    TransferExcess excess;
    int64_t seen_ns = 0;  // more than usual
    // One clock shows a link, two clocks a lag.
    if (usual.lag_ns != kNoTime && stands_out(seen.lag, usual.lag_ns, least_ns) &&
        !is_link_slow(seen, usual, least_ns)) {
      excess.side = receiver_side(seen, usual);
      seen_ns = seen.lag.ns - usual.lag_ns;
      if (excess.side != SlowSide::ReceiverGpu) excess.across_ns = seen_ns;
    } else if (is_link_slow(seen, usual, stretch_ns_[i] > 0 ? usual.wire_ns / 20 : least_ns)) {
      // Where the ends show the edge, the steps need but say which side it is.
      excess.side = SlowSide::Link;
      seen_ns = seen.wire.ns - usual.wire_ns;
    } else if (stretch_ns_[i] > 0 && (series_.edges[i].network || twice_)) {
      // What goes round once tells too little of edges inside a host.
      excess.side = seen.wire.known() ? SlowSide::Sender : SlowSide::SenderOrLink;
      seen_ns = seen.later.ns - usual_later(i);
      excess.steady = unsteady_[i] == 0;
      excess.across_ns = stretch_ns_[i];
    } else {
      return;
    }
    excess.actors = {series_.edges[i].from, series_.edges[i].to};
    excess.usual_across = std::get<3>(series_.alike) == 2;
    excess.communicator = series_.communicator;
    excess.channel = series_.channel;
    excess.sure = seen_.together;
    excess.last_starters = last_starters_[i];
    // Ends show of a late receiver but the last pass.
    excess.excess_ns = stretch_ns_[i] == 0 || is_of_receiver(excess.side)
                           ? std::max(stretch_ns_[i], passes * seen_ns)
                           : stretch_ns_[i];
    if (excess.side == SlowSide::Link)
      excess.excess_ns = std::max(excess.excess_ns, more_work(seen, usual));
    excess.excess_ns = std::min(excess.excess_ns, part_of(seen_.time.ns, 0.9));
    out_.push_back(std::move(excess));
  }
  // A link that works most of the time sets the pace: by so much it works longer.
  int64_t more_work(const SeenEdge& seen, const UsualEdge& usual) const {
    const auto sends = static_cast<int64_t>(series_.sends);
    if (!seen.work.known() || sends * seen.work.ns < part_of(seen_.time.ns, kSetsThePace)) return 0;
    return sends * (seen.work.ns - usual.work_ns);
  }

  // What cannot leave a host is not taken up where it comes in. So a receiver that is done late is held up
  // by its host's way out where that shows, too, as are the ranks between them; and where it does not, those
  // before it on the sender's host are held up by that receiver. Against the ring's direction, twice around:
  // a host that is held up holds up the one before it.
  void explain_lags() {
    const std::vector<size_t> network = series_.network_edges();
    explain_rows_of_lags(network);
    for (size_t k = 2 * network.size(); k-- > 0;) {
      const size_t into = network[k % network.size()], out = network[(k + 1) % network.size()];
      const auto at = lag_of(into);
      if (at == out_.end()) continue;
      const bool lags_there = lag_of(out) != out_.end();
      const bool held_up =
          lags_there ? shows_more(into, out) : is_slow_link(out) || shows_beside_others(network, k);
      if (held_up) {
        const int64_t lag_ns = at->excess_ns;
        out_.erase(at);
        acquit_before(out);
        if (!lags_there) accuse_way_out(out, lag_ns);
      } else {
        acquit_before(into);
      }
    }
  }
  std::vector<TransferExcess>::iterator lag_of(size_t edge) {
    return std::find_if(out_.begin(), out_.end(), [&](const TransferExcess& one) {
      return is_of_receiver(one.side) && edge_of(one) == edge;
    });
  }
  // More slow ways in a row than those of one host, which are lags and behind them perhaps one that only its
  // end shows: each lag but the last is of a host that is held up by the next.
  void explain_rows_of_lags(const std::vector<size_t>& network) {
    const auto at = [&](size_t k) { return network[k % network.size()]; };
    const auto lags = [&](size_t k) { return lag_of(at(k)) != out_.end(); };
    for (size_t begin = 1; begin <= network.size(); ++begin) {
      if (lags(begin - 1)) continue;
      size_t length = 0;
      while (length < network.size() && lags(begin + length)) ++length;
      const size_t behind = shows_by_ends(at(begin + length)) ? 1 : 0;
      if (length < 2 || length + behind < kFewestInRow) continue;
      for (size_t k = begin; k + 1 < begin + length; ++k) {
        out_.erase(lag_of(at(k)));
        acquit_before(at(k));
      }
      const auto last = lag_of(at(begin + length - 1));
      const size_t out = at(begin + length);
      const int64_t lag_ns = seen_.edges[edge_of(*last)].lag.ns - usual_[edge_of(*last)].lag_ns;
      if (usual_[out].beside_ns == kNoTime ||
          !stands_out(seen_.edges[out].later, usual_[out].beside_ns,
                      part_of(lag_ns, kHeldUpByWayOut)))
        continue;
      const int64_t excess_ns = last->excess_ns;
      out_.erase(last);
      accuse_way_out(out, excess_ns);
    }
  }
  bool shows_by_ends(size_t edge) const {
    return std::any_of(out_.begin(), out_.end(), [&](const TransferExcess& one) {
      return is_by_ends(one.side) && edge_of(one) == edge;
    });
  }
  // The edges inside a host before its way out, and those before them that only the ends show.
  void acquit_before(size_t way_out) {
    for (size_t i = before(way_out); i != way_out; i = before(i)) {
      const auto at = std::find_if(out_.begin(), out_.end(), [&](const TransferExcess& one) {
        return is_by_ends(one.side) && edge_of(one) == i;
      });
      if (at != out_.end())
        out_.erase(at);
      else if (series_.edges[i].network)
        return;
    }
  }
  // Lags at both are a way that takes long in both directions, but not where a channel enters the host at one
  // rank and leaves it at another, and shows more there; nor where the way out shows far more by all that it shows.
  bool shows_more(size_t into, size_t out) const {
    if (stretch_ns_[out] == 0) return false;
    const SeenEdge &in = seen_.edges[into], &behind = seen_.edges[out];
    if (series_.channels != 0 && series_.edges[into].to != series_.edges[out].from)
      return behind.later.ns >= in.later.ns;
    return usual_[into].beside_ns != kNoTime && usual_[out].beside_ns != kNoTime &&
           shown(into) < kFarLess * shown(out) &&
           static_cast<double>(lag_more(into)) < kFarLess * static_cast<double>(lag_more(out));
  }
  int64_t lag_more(size_t edge) const { return seen_.edges[edge].lag.ns - usual_[edge].lag_ns; }
  // Its network steps show it, whoever waits for whom.
  bool is_slow_link(size_t edge) const {
    return std::any_of(out_.begin(), out_.end(), [&](const TransferExcess& one) {
      return one.side == SlowSide::Link && edge_of(one) == edge;
    });
  }
  // The way out behind the edge `k` of `network`, against the other edges between hosts. Of more than three, not against
  // the one behind it, which is the same host's if the way into that is what is slow.
  bool shows_beside_others(const std::vector<size_t>& network, size_t k) const {
    const auto at = [&](size_t edge) { return network[edge % network.size()]; };
    const size_t into = at(k), out = at(k + 1);
    std::vector<int64_t> others;
    for (size_t i = k + (network.size() > 3 ? 3 : 2); i < k + network.size(); ++i) {
      if (seen_.edges[at(i)].later.known()) others.push_back(seen_.edges[at(i)].later.ns);
    }
    const int64_t lag_ns = seen_.edges[into].lag.ns - usual_[into].lag_ns;
    return !others.empty() &&
           stands_out(seen_.edges[out].later, *std::max_element(others.begin(), others.end()),
                      part_of(lag_ns, kHeldUpByWayOut));
  }
  size_t before(size_t i) const { return (i + count_ - 1) % count_; }
  size_t edge_of(const TransferExcess& one) const { return series_.edge_from(one.actors.front()); }
  // Where nothing but its end shows it, the lag does as well, which late starts leave no trace in.
  void accuse_way_out(size_t i, int64_t lag_ns) {
    auto at = std::find_if(out_.begin(), out_.end(),
                           [&](const TransferExcess& one) { return edge_of(one) == i; });
    if (at == out_.end()) {
      TransferExcess excess;
      excess.side = seen_.edges[i].wire.known() ? SlowSide::Sender : SlowSide::SenderOrLink;
      excess.actors = {series_.edges[i].from, series_.edges[i].to};
      excess.communicator = series_.communicator;
      excess.channel = series_.channel;
      at = out_.insert(at, std::move(excess));
    }
    at->excess_ns = std::max(at->excess_ns, lag_ns);
    at->sure = true;
    held_up_ = true;
  }

  // Slow edges of a ring hold each other up, and one that is cured leaves the others: how much later
  // ranks are done behind each depends on how far apart they are. So all have the same part of the
  // whole, but those that hardly show beside the worst. What network steps show outright needs no
  // other explanation.
  void share(int64_t more_ns) {
    int64_t worst_ns = 0, all_ns = 0;
    const bool link = std::any_of(out_.begin(), out_.end(), [](const TransferExcess& one) {
      return one.side == SlowSide::Link;
    });
    for (const TransferExcess& one : out_) worst_ns = std::max(worst_ns, one.excess_ns);
    out_.erase(std::remove_if(out_.begin(), out_.end(),
                              [&](const TransferExcess& one) {
                                return (link && is_by_ends(one.side)) ||
                                       one.excess_ns < part_of(worst_ns, kRingTrifle);
                              }),
               out_.end());
    for (const TransferExcess& one : out_) all_ns += one.excess_ns;
    if (is_beyond_starts() && series_.channels == 0) all_ns = part_of(all_ns, hidden());
    const bool by_steps = std::none_of(
        out_.begin(), out_.end(), [](const TransferExcess& one) { return is_by_ends(one.side); });
    const auto by_its_proxy = [&](const TransferExcess& one) {
      return is_of_receiver(one.side) && sees_its_sends_late(series_, seen_, usual_, one);
    };
    if (by_steps && all_ns < part_of(more_ns, kLeastOfMore) &&
        std::none_of(out_.begin(), out_.end(), by_its_proxy))
      return out_.clear();
    if (more_ns != 0)  // other channels may be slow, too; of two edges ends tell too little
      all_ns = series_.channels == 0 || count_ == 2 ? more_ns : std::max(all_ns, more_ns);
    else if (link)
      all_ns = std::min(all_ns, most_of_links());
    all_ns = std::min(all_ns, part_of(seen_.time.ns, 0.9));
    const bool guess =
        !held_up_ && std::all_of(out_.begin(), out_.end(),
                                 [](const TransferExcess& one) { return is_by_ends(one.side); });
    const bool sure = std::all_of(out_.begin(), out_.end(), [](const TransferExcess& one) {
      return one.sure || one.last_starters != 0;
    });
    const int64_t whole_ns = guess && more_ns == 0 ? all_ns_of_channel(all_ns) : all_ns;
    const double least = sure ? kLeastOfGuessTogether : kLeastOfGuess;
    if (guess && (sure ? whole_ns : all_ns) < part_of(seen_.time.ns, least)) return out_.clear();
    all_ns = std::min(whole_ns, part_of(seen_.time.ns, 0.9));
    for (TransferExcess& one : out_) {
      one.sure = one.sure || more_ns != 0;
      one.excess_ns = all_ns / static_cast<int64_t>(out_.size());
      one.usual_ns = std::max<int64_t>(1, seen_.time.ns - all_ns);
    }
  }

  // The differences add up to 0 around a ring: behind the slow edges they show what these take longer less its mean
  // over all edges, so that of the whole that part is missing which these are of the ring.
  int64_t all_ns_of_channel(int64_t shown_ns) const {
    const auto edges = static_cast<int64_t>(count_), slow = static_cast<int64_t>(out_.size());
    return series_.channels == 0 || slow >= edges ? shown_ns : shown_ns * edges / (edges - slow);
  }
  int64_t most_of_links() const {
    int64_t most_ns = 0;
    for (const TransferExcess& one : out_) {
      const int64_t work_ns = usual_[edge_of(one)].work_ns;
      if (one.side != SlowSide::Link || work_ns == kNoTime) continue;
      most_ns = std::max(most_ns, seen_.time.ns - static_cast<int64_t>(series_.sends) * work_ns);
    }
    return std::max<int64_t>(0, most_ns);
  }
  // What the ends show of edges between hosts is no trace of late starts.
  bool is_beyond_starts() const {
    return std::all_of(out_.begin(), out_.end(), [&](const TransferExcess& one) {
      const size_t edge = edge_of(one);
      return is_by_ends(one.side) && one.steady && series_.edges[edge].network &&
             (last_starters_[edge] != 0 || one.excess_ns >= kBeyondApart * seen_.apart_ns);
    });
  }

  const RingSeries& series_;
  const SeenRing& seen_;
  const std::vector<UsualEdge>& usual_;
  const size_t count_;
  const bool twice_;
  std::vector<int64_t> stretch_ns_;    // by edge
  std::vector<uint8_t> unsteady_;      // ... may be longer by chance alone
  std::vector<uint8_t> followed_;      // ... is slow as its host's way in is
  std::vector<size_t> last_starters_;  // ... is so whichever of these many hosts starts last
  bool held_up_ = false;               // a receiver is, by its host's way out
  std::vector<TransferExcess> out_;
};

}  // namespace

std::vector<TransferExcess> excesses_of_ring(const RunTables& run, const RingSeries& series,
                                             const SeenRing& seen,
                                             const std::vector<UsualEdge>& usual, int64_t more_ns) {
  return Judge(run, series, seen, usual).judge(more_ns);
}

}  // namespace lockstep::analysis
