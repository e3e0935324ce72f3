#include "analysis/paths/slow_sends.h"

#include <algorithm>
#include <limits>
#include <map>

#include "analysis/paths/chain_holder.h"
#include "analysis/paths/receiver_or_way.h"
#include "analysis/paths/slow_moments.h"
#include "analysis/transfers/middle.h"

namespace lockstep::analysis {
namespace {

// What is less than this part of what is usual where both begin together does not matter, if these do not.
constexpr double kLeastPartOfOther = 0.25;
// By this part the last part of what goes along a chain must take longer than usual.
constexpr double kLeastOfLastPart = 0.25;

class SlowSendFinder {
 public:
  SlowSendFinder(const RunTables& run, const OwnSegments& own) : run_(run), own_(own) {}

  SlowSends find(const std::vector<PairSeries>& all) {
    Classes classes;
    for (const PairSeries& pair : all) {
      const SeenPair seen = see(pair);
      if (seen.time.known()) classes[pair.alike].push_back(seen);
    }
    for (auto& [alike, pairs] : classes) {
      const size_t before = out_.size();
      judge_pairs_alike(&pairs, usual_at_most(classes, alike));
      if (!alike.network) keep_slow_with_all(pairs, before);
    }
    for (const auto& [alike, pairs] : classes) {
      if (alike.begin == Begin::Fed) share_behind_slow_edges(pairs);
    }
    for (const auto& [alike, pairs] : classes) {
      if (alike.network) judge_moments_of_pairs(pairs);
    }
    return {std::move(out_), std::move(compared_)};
  }

 private:
  struct SeenPair {
    const PairSeries* series = nullptr;
    Middle time, alone, whole;
    SeenEdge edge;
    int64_t usual_ns = kNoTime;  // what such take; kNoTime: there is but this one
  };
  static SeenPair see(const PairSeries& pair) {
    return {&pair,
            middle_of(pair.times),
            middle_of(pair.alone),
            middle_of(pair.whole),
            look_at(pair.edge),
            kNoTime};
  }

  using Classes = std::map<AlikeSends, std::vector<SeenPair>>;

  // Where the first of it was sent before the receiver began, no more is left than all of it. What passes all of a
  // host first takes longer.
  struct UsualTimes {
    int64_t ns = std::numeric_limits<int64_t>::max(), alone_ns = ns;
  };
  static UsualTimes usual_times(const std::vector<SeenPair>& pairs) {
    if (pairs.size() < 2) return {};
    std::vector<int64_t> times, alone;
    for (const SeenPair& pair : pairs) {
      times.push_back(pair.time.ns);
      alone.push_back(pair.alone.ns);
    }
    return {reference_of(times), reference_of(alone)};
  }
  static UsualTimes usual_at_most(const Classes& classes, AlikeSends alike) {
    if (alike.begin == Begin::Passed) return {};
    alike.begin = Begin::Whole;
    const auto whole = classes.find(alike);
    return whole == classes.end() ? UsualTimes() : usual_times(whole->second);
  }
  void judge_pairs_alike(std::vector<SeenPair>* alike, const UsualTimes& at_most) {
    std::vector<SeenPair>& pairs = *alike;
    if (pairs.size() < 2) return;
    std::vector<int64_t> lags, wires, works, gpus;
    for (const SeenPair& pair : pairs) {
      lags.push_back(pair.edge.lag.ns);
      wires.push_back(pair.edge.wire.ns);
      works.push_back(pair.edge.work.ns);
      gpus.push_back(pair.edge.gpu.ns);
    }
    const UsualTimes these = usual_times(pairs);
    const int64_t usual_ns = std::min(these.ns, at_most.ns),
                  usual_alone_ns = std::min(these.alone_ns, at_most.alone_ns);
    const double least_part = at_most.ns < these.ns ? kLeastPartOfOther : kLeastPartOfTransfer;
    const UsualEdge usual{
        kNoTime, reference_of(lags), reference_of(wires), reference_of(works), reference_of(gpus),
        kNoTime};
    std::vector<Middle> middles;
    for (const SeenPair& pair : pairs) middles.push_back(pair.time);
    const int64_t unsure_ns = unsureness_of(middles, usual_ns);
    std::set<Text> hosts;
    for (const SeenPair& pair : pairs)
      hosts.insert({host_of(pair.series->from), host_of(pair.series->to)});
    const bool between_two = hosts.size() == 2;
    for (SeenPair& pair : pairs) {
      pair.usual_ns = usual_ns;
      compared_.emplace(pair.series->from, pair.series->to);
      if (!stands_out(pair.time, usual_ns, part_of(usual_ns, least_part)) ||
          !stands_out(pair.alone, usual_alone_ns, part_of(usual_alone_ns, least_part)))
        continue;
      TransferExcess excess = excess_of(pair, usual_ns, usual, pair.series->matches);
      const SlowSide side = excess.side;
      // Each of its network steps shows that a link is slow.
      if (side != SlowSide::Link && is_whole_as_usual(pair, at_most.ns)) continue;
      limit_to_alone(pair.alone.ns, usual_alone_ns, &excess);
      excess.steady = is_steady(pair.time, usual_ns, unsure_ns);
      if (side != SlowSide::Link && side != SlowSide::ReceiverGpu && side != SlowSide::Anybody) {
        excess.across_ns = excess.excess_ns;
        excess.usual_across = between_two;
      }
      excess.holder = holder_of(*pair.series, pair.time.ns, usual_ns);
      out_.push_back(std::move(excess));
    }
  }
  // A receiver that begins while data is coming waits for the rest, and others for what lies in their buffers already.
  static bool is_whole_as_usual(const SeenPair& pair, int64_t usual_ns) {
    return usual_ns != UsualTimes().ns && pair.series->alike.begin == Begin::Waited &&
           pair.whole.known() &&
           !stands_out(pair.whole, usual_ns, part_of(usual_ns, kLeastPartOfTransfer));
  }
  // Ways that others use at the same time make no transfer slow that would be as fast as usual without these. How long a
  // GPU takes to empty its buffers is its own affair. By clocks that are off a transfer may seem to take less than no time.
  static void limit_to_alone(int64_t alone_ns, int64_t usual_ns, TransferExcess* excess) {
    if (excess->side == SlowSide::ReceiverGpu || usual_ns < 0 || alone_ns <= 0) return;
    const int64_t took_ns = excess->usual_ns + excess->excess_ns;
    const double usual_part = static_cast<double>(usual_ns) / static_cast<double>(alone_ns);
    excess->excess_ns = std::min(excess->excess_ns, part_of(took_ns, 1 - usual_part));
    excess->usual_ns = took_ns - excess->excess_ns;
  }
  // By the transfers that are slow: others of the series may not pass the rank that is.
  uint32_t holder_of(const PairSeries& pair, int64_t took_ns, int64_t usual_ns) const {
    std::vector<uint32_t> slow;
    for (size_t i = 0; i < pair.times.size(); ++i) {
      if (pair.times[i] != kNoTime && pair.times[i] >= usual_ns + (took_ns - usual_ns) / 2)
        slow.push_back(pair.matches[i]);
    }
    return holder_of_chains(run_, own_, pair.from, slow, took_ns);
  }
  static TransferExcess excess_of(const SeenPair& pair, int64_t usual_ns, const UsualEdge& usual,
                                  std::vector<uint32_t> matches) {
    TransferExcess excess;
    excess.excess_ns = pair.time.ns - usual_ns;
    excess.usual_ns = usual_ns;
    excess.actors = {pair.series->from, pair.series->to};
    excess.communicator = pair.series->communicator;
    excess.sure = true;
    excess.matches = std::move(matches);
    if (!pair.series->alike.network) {
      excess.side = SlowSide::Anybody;
      excess.compared = true;
      return excess;
    }
    const SeenEdge& edge = pair.edge;
    const int64_t least_ns = std::min(excess.excess_ns / 2, usual_ns / 4);
    if (stands_out(edge.lag, usual.lag_ns, least_ns)) {
      excess.side = receiver_side(edge, usual);
    } else if (is_link_slow(edge, usual, usual.wire_ns / 20)) {
      excess.side = SlowSide::Link;
    } else {
      excess.side = edge.wire.known() ? SlowSide::Sender : SlowSide::SenderOrLink;
    }
    return excess;
  }

  // What connects GPUs of a host differs, between switches or where two are bridged. But a rank that is slow with all
  // that it exchanges data with, two others or more, is so by itself. `before`: from there on out_ is about these pairs.
  void keep_slow_with_all(const std::vector<SeenPair>& pairs, size_t before) {
    std::map<uint32_t, std::set<uint32_t>> others, slow;  // by rank
    for (const SeenPair& pair : pairs) {
      others[pair.series->from].insert(pair.series->to);
      others[pair.series->to].insert(pair.series->from);
    }
    for (size_t i = before; i < out_.size(); ++i) {
      slow[out_[i].actors[0]].insert(out_[i].actors[1]);
      slow[out_[i].actors[1]].insert(out_[i].actors[0]);
    }
    const auto is_slow = [&](uint32_t rank) {
      return others[rank].size() > 1 && slow[rank] == others[rank];
    };
    const auto tells_nothing = [&](const TransferExcess& one) {
      return !is_slow(one.actors[0]) && !is_slow(one.actors[1]);
    };
    out_.erase(
        std::remove_if(out_.begin() + static_cast<ptrdiff_t>(before), out_.end(), tells_nothing),
        out_.end());
  }

  // A slow way of a host to the network is that of the data that comes in and of what goes on. What goes
  // on of a chain then ends soon after the data has come in, for that came as slowly: only its last part
  // shows how long it takes. If that takes longer than usual, both edges make the operation as slow as it
  // is, and either without the other would leave it so: each has half of it.
  void share_behind_slow_edges(const std::vector<SeenPair>& fed) {
    for (const SeenPair& out : fed) {
      if (out.usual_ns == kNoTime ||
          !stands_out(out.time, out.usual_ns, part_of(out.usual_ns, kLeastOfLastPart)))
        continue;
      const std::vector<uint32_t> edge{out.series->from, out.series->to};
      const auto feeds = [&](const TransferExcess& one) {
        return one.communicator == out.series->communicator && one.actors.front() != edge.front() &&
               host_of(one.actors.back()) == host_of(edge.front()) &&
               one.excess_ns / 2 > out.time.ns - out.usual_ns;
      };
      std::vector<TransferExcess> shared;
      for (TransferExcess& one : out_) {
        if (!feeds(one)) continue;
        one.excess_ns /= 2;
        shared.push_back(one);
        shared.back().actors = edge;
        shared.back().holder = kNoRow;
      }
      if (shared.empty()) continue;
      out_.erase(std::remove_if(out_.begin(), out_.end(),
                                [&](const TransferExcess& one) { return one.actors == edge; }),
                 out_.end());
      std::move(shared.begin(), shared.end(), std::back_inserter(out_));
    }
  }

  // What one pair loses at such moments, beside what they all lose by noise.
  void judge_moments_of_pairs(const std::vector<SeenPair>& pairs) {
    std::vector<SlowMoments> moments;
    std::vector<int64_t> lost;
    for (const SeenPair& pair : pairs) {
      moments.push_back(find_slow_moments(pair.series->times));
      lost.push_back(moments.back().lost_ns);
    }
    const int64_t typical_ns = pairs.size() < 2 ? 0 : reference_of(lost);
    for (size_t i = 0; i < pairs.size(); ++i) {
      const PairSeries& series = *pairs[i].series;
      if (moments[i].slow.empty() || moments[i].lost_ns < kTimesTypicalLoss * typical_ns) continue;
      const SeenPair seen{&series,
                          middle_of(series.times, moments[i].slow),
                          middle_of(series.alone, moments[i].slow),
                          middle_of(series.whole, moments[i].slow),
                          look_at(series.edge, moments[i].slow),
                          kNoTime};
      const Middle alone_before = middle_of(series.alone, moments[i].usual);
      const SeenEdge before = look_at(series.edge, moments[i].usual);
      const UsualEdge usual{kNoTime,        before.lag.ns, before.wire.ns,
                            before.work.ns, before.gpu.ns, kNoTime};
      if (!stands_out(seen.time, moments[i].usual_ns, 0) ||
          !stands_out(seen.alone, alone_before.ns, 0))
        continue;
      out_.push_back(
          excess_of(seen, moments[i].usual_ns, usual, rows_at(series.matches, moments[i].slow)));
      limit_to_alone(seen.alone.ns, alone_before.ns, &out_.back());
      // By clocks that are off it may be another kind of beginning that takes longer.
      if (is_by_ends(out_.back().side)) out_.back().across_ns = out_.back().excess_ns;
    }
  }
  static std::vector<uint32_t> rows_at(const std::vector<uint32_t>& matches,
                                       const std::vector<uint32_t>& chosen) {
    std::vector<uint32_t> rows;
    for (const uint32_t i : chosen) rows.push_back(matches[i]);
    return rows;
  }

  Text host_of(uint32_t actor) const { return run_.processes[own_.actors[actor].process].host; }

  const RunTables& run_;
  const OwnSegments& own_;
  std::vector<TransferExcess> out_;
  std::set<std::pair<uint32_t, uint32_t>> compared_;
};

}  // namespace

SlowSends find_slow_sends(const RunTables& run, const OwnSegments& own,
                          const std::vector<PairSeries>& all) {
  return SlowSendFinder(run, own).find(all);
}

}  // namespace lockstep::analysis
