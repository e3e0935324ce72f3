#include "analysis/paths/late_proxies.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/transfers/slow_spells.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Of an operation's time, how late a thread must be, over all passes.
constexpr double kLeastSeenLate = 0.02;
// Of what one end of a rank shows, what the other must show, and what others may at most.
constexpr double kOfOtherEnd = 0.5, kOfOthers = 0.25;
// Of what operations take longer, what a late thread must make up.
constexpr double kLeastMadeUp = 0.25;
// Of what a part costs, how much of it a thread must make up that is late at times only.
constexpr double kLeastOfPart = 0.5;
constexpr size_t kFewestEdges = 3;
// A thread takes so many times as long to come round as others usually do, and so many times as long as each other does in
// its slowest quarter: on a busy machine all take long now and then.
constexpr double kTimesOthers = 4, kTimesSlowest = 2, kQuarter = 0.25;
// ... which a GPU takes to answer a read; without GPUDirect RDMA there is nothing to read.
constexpr int64_t kReadNs = 2'000;
constexpr size_t kFewestOperations = 8;

// How much later than usual the receiver of an edge sees what has come; below 0: its sender is late to see what is sent.
struct Uptake {
  size_t edge = 0;
  Middle seen;
  int64_t usual_ns = 0;
  int64_t later_ns() const { return seen.ns - usual_ns; }
};
bool is_later(const Uptake& a, const Uptake& b) { return a.later_ns() < b.later_ns(); }

int64_t least_late_ns(const RingSeries& series, int64_t took_ns) {
  return part_of(took_ns, kLeastSeenLate / static_cast<double>(series.passes()));
}

TransferExcess excess_of(const RingSeries& series, size_t edge, int64_t excess_ns,
                         int64_t took_ns) {
  TransferExcess excess;
  excess.side = SlowSide::ReceiverProxy;
  excess.actors = {series.edges[edge].from, series.edges[edge].to};
  excess.communicator = series.communicator;
  excess.channel = series.channel;
  excess.sure = true;
  excess.excess_ns = std::min(excess_ns, part_of(took_ns, 0.9));
  excess.usual_ns = took_ns - excess.excess_ns;
  return excess;
}

// What one rank received in network steps, by operation: how long a step took on average, and a network operation in all.
struct Rounds {
  uint32_t operation = kNoRow;  // the last
  std::vector<int64_t> step, network_operation;
};
using RoundsByRank = std::map<int32_t, Rounds>;

// The one that takes far longer to come round; none where others do, too. Reorders the times.
std::optional<LateRounds> latest_of(const RunTables& run, RoundsByRank* ranks) {
  std::vector<std::pair<int64_t, Rounds*>> by_time;
  for (auto& [rank, rounds] : *ranks) {
    if (rounds.step.size() >= kFewestOperations)
      by_time.emplace_back(quantile(&rounds.step, kQuarter), &rounds);
  }
  if (by_time.size() < 2) return std::nullopt;
  std::sort(by_time.rbegin(), by_time.rend());
  Rounds& late = *by_time.front().second;
  std::vector<int64_t> others;
  int64_t slowest_ns = 0;
  for (size_t i = 1; i < by_time.size(); ++i) {
    others.push_back(by_time[i].first);
    slowest_ns = std::max(slowest_ns, quantile(&by_time[i].second->step, 1 - kQuarter));
  }
  const OperationRow& row = run.operations[late.operation];
  LateRounds shown;
  shown.rank = row.rank;
  shown.process = row.process;
  shown.own_ns = by_time.front().first;
  shown.others_ns = lower_median(&others);
  shown.lost_ns = quantile(&late.network_operation, kQuarter);
  shown.operations = late.step.size();
  shown.operation = late.operation;
  const auto times_as_long = [&](double times, int64_t ns) {
    return static_cast<double>(shown.own_ns) >= times * static_cast<double>(ns);
  };
  if (!times_as_long(kTimesOthers, std::max(kReadNs, shown.others_ns)) ||
      !times_as_long(kTimesSlowest, slowest_ns))
    return std::nullopt;
  return shown;
}

bool takes_part(uint32_t actor, const SlowPart& part) {
  const auto has = [&](const std::vector<uint32_t>& actors) {
    return std::count(actors.begin(), actors.end(), actor) != 0;
  };
  return part.of_tree || has(part.actors) || part.peer == actor ||
         std::any_of(part.excesses.begin(), part.excesses.end(),
                     [&](const TransferExcess& one) { return has(one.actors); });
}

// Whose thread makes up most of what the part costs; kNoRow: nobody's.
uint32_t late_at_times(const SpellsOfRun& spells, const SlowPart& part) {
  std::set<uint32_t> matches;
  int64_t cost_ns = 0;
  for (const TransferExcess& one : part.excesses) {
    matches.insert(one.matches.begin(), one.matches.end());
    cost_ns += all_ns(one);
  }
  std::map<uint32_t, int64_t> made_up_ns;  // by actor
  for (const SlowSpells& one : spells.slow) {
    if (!one.proxy || !takes_part(one.to, part)) continue;
    for (const uint32_t m : one.matches) {
      if (matches.count(m) != 0) made_up_ns[one.to] += one.excess_ns;
    }
  }
  const auto most =
      std::max_element(made_up_ns.begin(), made_up_ns.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == made_up_ns.end() || most->second < part_of(cost_ns, kLeastOfPart) ? kNoRow
                                                                                   : most->first;
}

// Names the thread that thread_of tells for a part, and each once; other parts stay as they are. One that is late at times
// only is not named either where its rank has been named for something else.
template <class ThreadOf>
void name_threads(std::vector<SlowPart>* parts, const ThreadOf& thread_of) {
  std::vector<SlowPart> named;
  for (SlowPart& part : *parts) {
    const uint32_t actor = thread_of(part);
    if (actor != kNoRow) {
      const bool known = std::any_of(named.begin(), named.end(), [&](const SlowPart& other) {
        return other.actors == std::vector<uint32_t>{actor} &&
               (!part.late_rounds || other.late_rounds);
      });
      if (known) continue;
      part.actors = {actor};
      part.side = SlowSide::ReceiverProxy;
      part.host = part.inside_host = part.both_ends = part.both_ways = part.of_tree = false;
      part.peer = kNoRow;
      part.peer_host = 0;
      part.sure = true;
    }
    named.push_back(std::move(part));
  }
  *parts = std::move(named);
}

}  // namespace

std::map<uint32_t, LateRounds> find_late_rounds(const RunTables& run) {
  std::map<uint32_t, RoundsByRank> communicators;
  for (uint32_t i = 0; i < run.operations.size(); ++i) {
    const OperationRow& row = run.operations[i];
    const uint32_t received = row.steps - row.send_steps;
    // The parts of an all-to-all stand for its whole.
    if (row.communicator == kNoRow || received == 0 || row.kind == OpKind::Assembled) continue;
    Rounds& rounds = communicators[row.communicator][row.rank];
    rounds.operation = i;
    rounds.step.push_back(row.flush_ns / received);
    rounds.network_operation.push_back(row.flush_ns / row.proxy_ops);
  }
  std::map<uint32_t, LateRounds> found;
  for (auto& [communicator, ranks] : communicators) {
    if (const auto late = latest_of(run, &ranks)) found[communicator] = *late;
  }
  return found;
}

void name_late_rounds(const RunTables& run, const OwnSegments& own, std::vector<SlowPart>* parts) {
  if (parts->empty()) return;
  const std::map<uint32_t, LateRounds> all = find_late_rounds(run);
  name_threads(parts, [&](SlowPart& part) {
    const auto late = all.find(part.communicator);
    const uint32_t actor =
        late == all.end() ? kNoRow : own.actor_of(run, part.communicator, late->second.rank);
    if (actor == kNoRow || !takes_part(actor, part) ||
        late->second.lost_ns < part_of(part.took_ns, kLeastSeenLate))
      return kNoRow;
    part.late_rounds = late->second;
    part.steady = true;
    return actor;
  });
}

void name_late_spells(const RunTables& run, const OwnSegments& own, std::vector<SlowPart>* parts) {
  const auto is_told = [](const SlowPart& part) {
    return part.late_rounds || !is_of_receiver(part.side) || part.side == SlowSide::ReceiverGpu;
  };
  if (std::all_of(parts->begin(), parts->end(), is_told)) return;
  const SpellsOfRun spells = find_slow_spells(run, own, Spells::OfProxies);
  name_threads(parts, [&](const SlowPart& part) {
    return is_told(part) ? kNoRow : late_at_times(spells, part);
  });
}

std::optional<TransferExcess> late_proxy(const RingSeries& series, const SeenRing& seen) {
  std::vector<Uptake> all;
  std::vector<int64_t> uptakes;
  for (const size_t edge : series.network_edges()) {
    all.push_back({edge, middle_of(series.edges[edge].uptake)});
    if (!all.back().seen.known()) return std::nullopt;
    uptakes.push_back(all.back().seen.ns);
  }
  if (all.size() < kFewestEdges) return std::nullopt;
  const int64_t usual_ns = lower_median(&uptakes);
  for (Uptake& one : all) one.usual_ns = usual_ns;
  const auto ends = std::minmax_element(all.begin(), all.end(), is_later);
  const Uptake &sent = *ends.first, &come = *ends.second;
  if (series.edges[come.edge].to != series.edges[sent.edge].from) return std::nullopt;
  const int64_t most_ns = std::max(come.later_ns(), -sent.later_ns());
  const int64_t least_ns =
      std::max(least_late_ns(series, seen.time.ns), part_of(most_ns, kOfOtherEnd));
  Middle not_late = sent.seen;
  not_late.ns = -not_late.ns;
  if (!stands_out(come.seen, usual_ns, least_ns) || !stands_out(not_late, -usual_ns, least_ns))
    return std::nullopt;
  const bool alone = std::all_of(all.begin(), all.end(), [&](const Uptake& one) {
    return one.edge == come.edge || one.edge == sent.edge ||
           std::abs(one.later_ns()) <= part_of(most_ns, kOfOthers);
  });
  if (!alone) return std::nullopt;
  TransferExcess excess = excess_of(series, come.edge, series.passes() * most_ns, seen.time.ns);
  excess.across_ns = most_ns;
  return excess;
}

std::optional<TransferExcess> late_proxy_at(const RingSeries& series, const SlowMoments& moments,
                                            int64_t took_ns, std::vector<UsualEdge>* usual) {
  std::vector<Uptake> all;
  for (const size_t edge : series.network_edges()) {
    const std::vector<int64_t>& uptake = series.edges[edge].uptake;
    const Middle before = middle_of(uptake, moments.usual);
    if (!before.known()) continue;
    all.push_back({edge, middle_of(uptake, moments.slow), before.ns});
    if (!all.back().seen.known()) all.pop_back();
  }
  if (all.size() < 2) return std::nullopt;
  const Uptake& late = *std::max_element(all.begin(), all.end(), is_later);
  const int64_t more_ns = took_ns - moments.usual_ns;
  if (!stands_out(late.seen, late.usual_ns, least_late_ns(series, took_ns)) ||
      series.passes() * late.later_ns() < part_of(more_ns, kLeastMadeUp))
    return std::nullopt;
  const bool alone = std::all_of(all.begin(), all.end(), [&](const Uptake& one) {
    return one.edge == late.edge || one.later_ns() <= part_of(late.later_ns(), kOfOthers);
  });
  if (!alone) return std::nullopt;
  for (const Uptake& one : all) (*usual)[one.edge].uptake_ns = one.usual_ns;
  return excess_of(series, late.edge, more_ns, took_ns);
}

}  // namespace lockstep::analysis
