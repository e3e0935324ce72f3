#include "analysis/paths/slow_transfers.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "analysis/paths/late_proxies.h"
#include "analysis/paths/moment_chance.h"
#include "analysis/paths/pooled_rings.h"
#include "analysis/paths/ring_excess.h"
#include "analysis/paths/slow_gpus.h"
#include "analysis/paths/slow_moments.h"
#include "analysis/paths/slow_sends.h"
#include "analysis/paths/tree_excess.h"
#include "analysis/paths/within_clocks.h"
#include "analysis/transfers/transfer_samples.h"

namespace lockstep::analysis {
namespace {

// Of so many edges most are not slow.
constexpr size_t kFewestThatSink = 4;
// Of one operation so many ways are looked at: a host's are fewer.
constexpr size_t kMostWaysAtOnce = 16;

class SlowTransferFinder {
 public:
  SlowTransferFinder(const RunTables& run, const FollowedRun& followed)
      : run_(run),
        own_(followed.own),
        step_of_(steps_of_matches(run, followed)),
        samples_(sample_transfers(run, followed.own)) {}

  SlowTransfers find() {
    SlowSends sends = find_slow_sends(run_, own_, samples_.pairs);
    out_ = std::move(sends.excesses);
    judge_trees();
    judge_rings();
    std::vector<WithinClocks> within_clocks = leave_out_within_clocks(run_, own_, &out_);
    name_holders();
    return {std::move(out_), std::move(within_clocks), std::move(sends.compared)};
  }

 private:
  // By row of `matches`: in which training step it was; kNoRow: nobody takes part.
  static std::vector<uint32_t> steps_of_matches(const RunTables& run, const FollowedRun& followed) {
    std::vector<uint32_t> steps(run.matches.size(), kNoRow);
    for (const uint32_t a : followed.own.order)
      steps[run.arrivals[a].match] = followed.excesses.trial[followed.own.segments[a].launch];
    return steps;
  }

  Text host_of(uint32_t actor) const { return run_.processes[own_.actors[actor].process].host; }

  // A link is slow whoever feeds it; what only a sender or its link can do may be done by who feeds it.
  void name_holders() {
    for (TransferExcess& one : out_) {
      if (one.holder == kNoRow || one.holder == one.actors.front() || !is_by_ends(one.side))
        continue;
      one.actors = {one.holder};
      one.side = SlowSide::Gpu;
    }
  }

  void judge_trees() {
    std::vector<TransferExcess> found = excesses_of_trees(run_, own_, samples_.trees, step_of_);
    for (const TransferExcess& one : found) in_trees_.insert(one.matches.front());
    std::move(found.begin(), found.end(), std::back_inserter(out_));
  }

  struct Ring {
    const RingSeries* series = nullptr;
    SeenRing seen;
  };

  void judge_rings() {
    // A channel does a part of an operation.
    using Alike = std::pair<std::tuple<Text, uint64_t, int32_t, size_t>, size_t>;
    std::map<Alike, std::vector<Ring>> classes;
    for (const RingSeries& series : samples_.rings) {
      std::vector<uint32_t> all(series.times.size());
      std::iota(all.begin(), all.end(), 0u);
      Ring ring{&series, look_at_ring(series, all)};
      if (ring.seen.time.known())
        classes[{series.alike, series.channels}].push_back(std::move(ring));
    }
    for (const auto& [alike, rings] : classes) judge_rings_alike(rings);
    for (const PooledRing& pool : pool_rings(run_, not_always_slow_)) judge_moments_of_ring(pool);
  }

  struct OfRole {
    std::vector<Middle> later;
    std::vector<int64_t> lag, wire, work, gpu;
    UsualEdge usual;
  };
  // Of rings that are alike, what is usual by role of their edges.
  static std::map<uint64_t, OfRole> roles_of(const std::vector<Ring>& rings) {
    std::map<uint64_t, OfRole> roles;
    for_each_edge(rings, [&](uint64_t role_of_edge, const SeenEdge& edge) {
      OfRole& role = roles[role_of_edge];
      if (edge.later.known()) role.later.push_back(edge.later);
      if (edge.wire.known()) role.wire.push_back(edge.wire.ns);
      if (edge.work.known()) role.work.push_back(edge.work.ns);
      if (edge.gpu.known()) role.gpu.push_back(edge.gpu.ns);
    });
    const size_t hosts = std::get<3>(rings.front().series->alike);
    for (auto& [number, role] : roles) {
      std::vector<int64_t> later;
      for (const Middle& middle : role.later) later.push_back(middle.ns);
      role.usual.later_ns = role.usual.beside_ns = usual_of(later, hosts);
      if (role.later.size() == 2)
        role.usual.unsure_ns = unsureness_of(role.later, role.usual.later_ns);
      role.usual.wire_ns = usual_of(role.wire, hosts);
      role.usual.work_ns = usual_of(role.work, hosts);
      role.usual.gpu_ns = usual_of(role.gpu, hosts);
    }
    // Not of edges whose sender knows late that its steps have come: their receivers seem to be done before it.
    for_each_edge(rings, [&](uint64_t role_of_edge, const SeenEdge& edge) {
      OfRole& role = roles.at(role_of_edge);
      if (edge.lag.known() && !is_link_slow(edge, role.usual, role.usual.wire_ns))
        role.lag.push_back(edge.lag.ns);
    });
    for (auto& [number, role] : roles) role.usual.lag_ns = usual_of(role.lag, hosts);
    return roles;
  }
  // Calls use(role, edge).
  template <typename Use>
  static void for_each_edge(const std::vector<Ring>& rings, const Use& use) {
    for (const Ring& ring : rings) {
      for (size_t i = 0; i < ring.seen.edges.size(); ++i)
        use(ring.series->edges[i].role, ring.seen.edges[i]);
    }
  }
  // Of one edge nothing tells what is usual. Of three, as of those between three hosts, two are those of one host.
  static int64_t usual_of(const std::vector<int64_t>& role, size_t hosts) {
    if (role.size() < 2) return kNoTime;
    return role.size() == 3 || hosts == 3 ? reference_of_few(role) : reference_of(role);
  }
  static std::vector<UsualEdge> usual_edges(const RingSeries& series,
                                            const std::map<uint64_t, OfRole>& roles) {
    std::vector<UsualEdge> edges;
    for (const EdgeSamples& edge : series.edges) {
      UsualEdge& usual = edges.emplace_back(roles.at(edge.role).usual);
      // The differences add up to 0 around a ring: beside a slow edge all others are below it.
      if (usual.later_ns == kNoTime) continue;
      const int64_t most_ns = usual.later_ns + usual.unsure_ns;
      usual.later_ns = series.edges.size() == 2 ? 0 : std::max<int64_t>(0, usual.later_ns);
      usual.unsure_ns = std::max<int64_t>(0, most_ns - usual.later_ns);
    }
    return edges;
  }

  void judge_rings_alike(const std::vector<Ring>& rings) {
    const std::map<uint64_t, OfRole> roles = roles_of(rings);
    std::vector<int64_t> times;
    for (const Ring& ring : rings) times.push_back(ring.seen.time.ns);
    const int64_t slowest_ns = *std::max_element(times.begin(), times.end());
    const int64_t usual_ns = reference_of(times);
    const std::map<const RingSeries*, TransferExcess> by_gpus = held_up_by_gpus(rings);
    std::vector<std::vector<TransferExcess>> shown(rings.size());
    for (size_t i = 0; i < rings.size(); ++i) {
      const Ring& ring = rings[i];
      const int64_t time_ns = ring.seen.time.ns;
      const bool longer = rings.size() > 1 && stands_out(ring.seen.time, usual_ns,
                                                         part_of(usual_ns, kLeastPartOfTransfer));
      // Where communicators differ, only what the slow ones show counts.
      const bool told = longer || time_ns * 11 / 10 >= slowest_ns;
      std::vector<TransferExcess>& found = shown[i];
      if (const auto by_gpu = by_gpus.find(ring.series); by_gpu != by_gpus.end())
        found.push_back(by_gpu->second);
      else if (const auto late = late_proxy(*ring.series, ring.seen); told && late)
        found.push_back(*late);
      else if (told)
        found = excesses_of_ring(run_, *ring.series, ring.seen, usual_edges(*ring.series, roles),
                                 longer ? time_ns - usual_ns : 0);
      if (found.empty() && longer && in_trees_.count(ring.series->matches.front()) == 0) {
        found.push_back(of_anybody(*ring.series, time_ns, usual_ns));
        found.back().compared = are_apart(rings, ring);
      }
      if (found.empty()) not_always_slow_.push_back(ring.series);
      for (TransferExcess& one : found) one.matches = ring.series->matches;
    }
    limit_to_other_channels(rings, &shown);
    for (std::vector<TransferExcess>& found : shown)
      std::move(found.begin(), found.end(), std::back_inserter(out_));
  }
  // Channels do equal parts of an operation: one that is slow costs no more than it takes longer than those that are not.
  static void limit_to_other_channels(const std::vector<Ring>& rings,
                                      std::vector<std::vector<TransferExcess>>* shown) {
    std::map<uint32_t, std::vector<int64_t>> usual;  // by communicator
    for (size_t i = 0; i < rings.size(); ++i) {
      if ((*shown)[i].empty())
        usual[rings[i].series->communicator].push_back(rings[i].seen.time.ns);
    }
    for (size_t i = 0; i < rings.size(); ++i) {
      const auto others = usual.find(rings[i].series->communicator);
      if (others == usual.end()) continue;
      const int64_t longer_ns =
          std::max<int64_t>(0, rings[i].seen.time.ns - reference_of(others->second));
      for (TransferExcess& one : (*shown)[i]) {
        const int64_t excess_ns =
            std::min(one.excess_ns, longer_ns / static_cast<int64_t>((*shown)[i].size()));
        one.usual_ns += one.excess_ns - excess_ns;
        one.excess_ns = excess_ns;
      }
    }
  }
  // What a GPU holds up on all channels of a communicator, by channel.
  std::map<const RingSeries*, TransferExcess> held_up_by_gpus(
      const std::vector<Ring>& rings) const {
    std::map<uint32_t, std::vector<const RingSeries*>> communicators;
    for (const Ring& ring : rings) communicators[ring.series->communicator].push_back(ring.series);
    std::map<const RingSeries*, TransferExcess> held_up;
    for (const auto& [communicator, channels] : communicators) {
      std::vector<TransferExcess> found = excesses_of_gpu(run_, own_, channels);
      for (size_t c = 0; c < found.size(); ++c) held_up.emplace(channels[c], std::move(found[c]));
    }
    return held_up;
  }
  // From all others of its class: they are other ranks'.
  static bool are_apart(const std::vector<Ring>& rings, const Ring& ring) {
    const std::vector<uint32_t>& own = ring.series->actors;
    return std::all_of(rings.begin(), rings.end(), [&](const Ring& other) {
      const std::vector<uint32_t>& actors = other.series->actors;
      return &other == &ring ||
             std::find_first_of(own.begin(), own.end(), actors.begin(), actors.end()) == own.end();
    });
  }
  static TransferExcess of_anybody(const RingSeries& series, int64_t time_ns, int64_t usual_ns) {
    TransferExcess excess;
    excess.actors = series.actors;
    excess.communicator = series.communicator;
    excess.channel = series.channel;
    excess.excess_ns = time_ns - usual_ns;
    excess.usual_ns = usual_ns;
    return excess;
  }

  // A ring that is slow at times, against its other times.
  void judge_moments_of_ring(const PooledRing& pool) {
    const RingSeries& series = pool.series;
    const SlowMoments moments = find_slow_moments(series.times);
    if (moments.slow.empty()) return;
    const SeenRing seen = look_at_ring(series, moments.slow);
    const SeenRing before = look_at_ring(series, moments.usual);
    std::vector<UsualEdge> usual;
    // What makes all edges slow lengthens all differences alike.
    const double longer = static_cast<double>(seen.time.ns) / static_cast<double>(moments.usual_ns);
    for (const SeenEdge& edge : before.edges) {
      const auto of = [](const Middle& middle, double times) {
        return middle.known() ? part_of(middle.ns, times) : kNoTime;
      };
      const int64_t later_ns = of(edge.later, edge.later.ns > 0 ? longer : 1);
      usual.push_back({later_ns, of(edge.lag, longer), of(edge.wire, 1), of(edge.work, 1),
                       of(edge.gpu, longer), later_ns});
    }
    sink_beside_slow_edges(series, seen, &usual);
    std::map<double, std::vector<uint32_t>> slow;  // by scale: matches
    for (const uint32_t i : moments.slow) slow[pool.scale[i]].push_back(series.matches[i]);
    std::vector<TransferExcess> found;
    if (auto late = late_proxy_at(series, moments, seen.time.ns, &usual))
      found.push_back(std::move(*late));
    else
      found = excesses_of_ring(run_, series, seen, usual, seen.time.ns - moments.usual_ns);
    const auto tells_nothing = [&](const TransferExcess& one) {
      return is_inside_host(one) ||
             chance_of_moments(series, one, usual, moments.slow, step_of_) > kMostChanceOfMoments;
    };
    found.erase(std::remove_if(found.begin(), found.end(), tells_nothing), found.end());
    if (found.empty() && !series.crosses_hosts())
      found.push_back(of_anybody(series, seen.time.ns, moments.usual_ns));
    for (const TransferExcess& one : found) {
      for (const auto& [scale, matches] : slow) {
        TransferExcess& of_scale = out_.emplace_back(one);
        of_scale.excess_ns = part_of(one.excess_ns, scale);
        of_scale.usual_ns = part_of(one.usual_ns, scale);
        of_scale.matches = matches;
        of_scale.across_ns = 0;
      }
    }
  }

  // The differences add up to 0 around a ring: where one edge shows more, all others sink below what they usually
  // show, and one that sinks less is slow, too.
  static void sink_beside_slow_edges(const RingSeries& series, const SeenRing& seen,
                                     std::vector<UsualEdge>* usual) {
    for (const bool network : {false, true}) {
      std::vector<int64_t> sunk;
      for (size_t i = 0; i < usual->size(); ++i) {
        if (series.edges[i].network != network) continue;
        if (!seen.edges[i].later.known() || (*usual)[i].later_ns == kNoTime) return;
        sunk.push_back(seen.edges[i].later.ns - (*usual)[i].later_ns);
      }
      if (sunk.size() < kFewestThatSink) continue;
      const int64_t others_ns = std::min<int64_t>(0, reference_of(sunk));
      for (size_t i = 0; i < usual->size(); ++i) {
        if (series.edges[i].network == network) (*usual)[i].beside_ns += others_ns;
      }
    }
  }

  // Which of the two holds up what only the ends show there, nothing tells.
  bool is_inside_host(const TransferExcess& one) const {
    return is_by_ends(one.side) && host_of(one.actors.front()) == host_of(one.actors.back());
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const std::vector<uint32_t> step_of_;  // by row of `matches`
  const TransferSamples samples_;
  std::vector<TransferExcess> out_;
  std::vector<const RingSeries*> not_always_slow_;
  // The first operations of trees with slow edges: rows of `matches`.
  std::set<uint32_t> in_trees_;
};

}  // namespace

SlowTransfers find_slow_transfers(const RunTables& run, const FollowedRun& followed) {
  return SlowTransferFinder(run, followed).find();
}

SlowTransfers find_slow_at_times(const RunTables& run, const OwnSegments& own, Spells which) {
  SpellsOfRun spells = find_slow_spells(run, own, which);
  SlowTransfers seen;
  seen.compared = std::move(spells.compared);
  for (SlowSpells& one : spells.slow) {
    if (one.way >= kMostWaysAtOnce) continue;
    TransferExcess& excess = seen.excesses.emplace_back();
    excess.side = one.proxy ? SlowSide::ReceiverProxy : SlowSide::Link;
    excess.actors = {one.from, one.to};
    excess.channel = static_cast<uint8_t>(one.way);
    excess.communicator = one.communicator;
    excess.matches = std::move(one.matches);
    excess.excess_ns = one.excess_ns;
    excess.usual_ns = one.usual_ns;
    excess.sure = true;
  }
  return seen;
}

}  // namespace lockstep::analysis
