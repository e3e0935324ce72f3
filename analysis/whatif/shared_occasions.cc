#include "analysis/whatif/shared_occasions.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Late in an operation is who lost so large a part of what the latest did.
constexpr int64_t kPartOfLatest = 3;
// All of a host are late who each lost so many times what anybody elsewhere did, of whom there are a few; of what
// each came late by that which is so large a part of what is typical of the accused.
constexpr double kTimesElsewhere = 2;
constexpr size_t kFewestElsewhere = 3;
constexpr int64_t kPartOfTypical = 3;

// Of the time lost in collectives of several of them, half is lost where most of these were late. Of a
// send and its receive only one can be late.
bool share_operations(const RunTables& run, const OwnSegments& own, const Excesses& excesses,
                      const std::vector<uint32_t>& actors, const std::vector<Occasion>& occasions) {
  int64_t all_ns = 0, shared_ns = 0;
  for (const Occasion& one : occasions) {
    const ArrivalRow& arrival = run.arrivals[one.arrival];
    if (run.operations[arrival.operation].kind == OpKind::PointToPoint) continue;
    const MatchRow& match = run.matches[arrival.match];
    size_t members = 0, late = 0;
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      if (own.segments[a].actor == kNoRow || !is_in(actors, own.segments[a].actor)) continue;
      ++members;
      late += excesses.ns[a] * kPartOfLatest >= one.excess_ns ? 1 : 0;
    }
    if (members < 2) continue;
    all_ns += one.excess_ns;
    shared_ns += late * 2 > members ? one.excess_ns : 0;
  }
  return shared_ns * 2 >= all_ns;
}

// In the training steps in which they held the run up most of them were late at least once.
bool share_trials(const OwnSegments& own, const Excesses& excesses,
                  const std::vector<uint32_t>& actors, const std::vector<Occasion>& occasions) {
  std::map<uint32_t, int64_t> worst_ns;  // by trial
  for (const Occasion& one : occasions) {
    int64_t& ns = worst_ns[excesses.trial[own.segments[one.arrival].launch]];
    ns = std::max(ns, one.excess_ns);
  }
  std::set<std::pair<uint32_t, uint32_t>> late;  // trial, actor
  for (const uint32_t a : own.order) {
    const Segment& segment = own.segments[a];
    const auto worst = worst_ns.find(excesses.trial[segment.launch]);
    if (worst != worst_ns.end() && excesses.ns[a] * 2 >= worst->second &&
        is_in(actors, segment.actor))
      late.emplace(worst->first, segment.actor);
  }
  return late.size() * 2 > worst_ns.size() * actors.size();
}

}  // namespace

bool is_in(const std::vector<uint32_t>& actors, uint32_t actor) {
  return std::binary_search(actors.begin(), actors.end(), actor);
}

bool share_occasions(const RunTables& run, const OwnSegments& own, const Excesses& excesses,
                     const std::vector<uint32_t>& actors, const std::vector<Occasion>& occasions) {
  return share_operations(run, own, excesses, actors, occasions) &&
         share_trials(own, excesses, actors, occasions);
}

bool are_all_late(const OwnSegments& own, const std::vector<int64_t>& excess_ns,
                  const std::vector<uint8_t>& possible, const std::vector<uint32_t>& host,
                  const std::vector<Occasion>& occasions) {
  std::vector<int64_t> late_ns;
  for (const Occasion& one : occasions) late_ns.push_back(one.excess_ns);
  const int64_t typical_ns = half_of_sum(&late_ns);
  std::vector<int64_t> lost_ns(own.actors.size());
  for (const uint32_t a : own.order) {
    if (own.segments[a].before != kNoRow && excess_ns[a] * kPartOfTypical >= typical_ns)
      lost_ns[own.segments[a].actor] += excess_ns[a];
  }
  int64_t elsewhere_ns = 0, least_ns = lost_ns[host.front()];
  size_t elsewhere = 0;
  for (uint32_t actor = 0; actor < lost_ns.size(); ++actor) {
    if (is_in(host, actor)) {
      least_ns = std::min(least_ns, lost_ns[actor]);
    } else if (possible[actor] != 0) {
      ++elsewhere;
      elsewhere_ns = std::max(elsewhere_ns, lost_ns[actor]);
    }
  }
  return elsewhere >= kFewestElsewhere && least_ns > 0 &&
         static_cast<double>(least_ns) >= kTimesElsewhere * static_cast<double>(elsewhere_ns);
}

}  // namespace lockstep::analysis
