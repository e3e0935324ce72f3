#include "analysis/account/only_way.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "analysis/whatif/what_if.h"
#include "base/quantile.h"
#include "lockstep/message_size.h"

namespace lockstep::analysis {
namespace {

// It matters from such a part of the run's time on, as with a part that is known to be slow (paths/slow_parts.h).
constexpr int64_t kLeastPercent = 2;
// What lies between two hosts is known if it is more than so many times what their clocks may err by.
constexpr int64_t kBeyondClocks = 2;

// What one rank does of an operation between hosts, from the last start to its end; 0 ns: not known.
struct Moving {
  uint32_t arrival = kNoRow;  // row
  int64_t ns = 0;
};
// By communicator, function and size.
struct Alike {
  int64_t all_ns = 0;
  std::vector<Moving> ranks;
};
using BetweenHosts = std::map<std::tuple<uint32_t, Text, uint64_t>, Alike>;

Text host_of(const RunTables& run, const OwnSegments& own, uint32_t arrival) {
  return run.processes[own.actors[own.segments[arrival].actor].process].host;
}

int64_t moving_ns(const RunTables& run, const OwnSegments& own, uint32_t arrival) {
  const ArrivalRow& row = run.arrivals[arrival];
  const int64_t moving_ns = own.segments[arrival].end_ns - own.last_start_ns[row.match];
  return moving_ns > kBeyondClocks * row.clock_error_ns ? moving_ns : 0;
}

BetweenHosts find_between_hosts(const RunTables& run, const OwnSegments& own) {
  BetweenHosts between;
  for (const MatchRow& match : run.matches) {
    std::vector<Moving> ranks;
    std::set<Text> hosts;
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      if (own.segments[a].actor == kNoRow) continue;
      ranks.push_back({a, moving_ns(run, own, a)});
      hosts.insert(host_of(run, own, a));
    }
    if (hosts.size() < 2) continue;
    Alike& alike = between[{match.communicator, match.func, match.size_bytes}];
    for (const Moving& rank : ranks) {
      alike.all_ns += rank.ns;
      alike.ranks.push_back(rank);
    }
  }
  return between;
}

int64_t gain_percent(const RunTables& run, const OwnSegments& own, const BetweenHosts& between) {
  std::vector<int64_t> half_ns(own.segments.size());
  for (const auto& [kind, alike] : between) {
    for (const Moving& rank : alike.ranks) half_ns[rank.arrival] = rank.ns / 2;
  }
  const std::vector<int64_t> no_lateness(own.segments.size());
  WhatIf what_if(run, own, no_lateness);
  const int64_t gain_ns = what_if.gain_of_transfers_ns(half_ns);
  return what_if.span_ns() > 0 ? 100 * gain_ns / what_if.span_ns() : 0;
}

bool is_alone_in_launch(const OwnSegments& own, uint32_t arrival) {
  const uint32_t launch = own.segments[arrival].launch;
  return own.launch_begin[launch + 1] - own.launch_begin[launch] == 1;
}

// Of those that have a kernel of their own, until the last end.
double middle_busbw_gbs(const RunTables& run, const OwnSegments& own, const Alike& alike) {
  std::map<uint32_t, int64_t> longest_ns;  // by row of `matches`
  for (const Moving& rank : alike.ranks) {
    if (!own.segments[rank.arrival].end_known || !is_alone_in_launch(own, rank.arrival)) continue;
    int64_t& longest = longest_ns[run.arrivals[rank.arrival].match];
    longest = std::max(longest, rank.ns);
  }
  std::vector<double> rates_gbs;
  for (const auto& [m, ns] : longest_ns) {
    const MatchRow& match = run.matches[m];
    const int32_t nranks = run.communicators[match.communicator].nranks;
    if (ns > 0)
      rates_gbs.push_back(busbw_factor(run.text(match.func), nranks) *
                          static_cast<double>(match.size_bytes) / static_cast<double>(ns));
  }
  return rates_gbs.empty() ? 0 : median(&rates_gbs);
}

}  // namespace

OnlyWay find_only_way(const RunTables& run, const OwnSegments& own) {
  OnlyWay way;
  std::set<Text> hosts;
  for (const uint32_t a : own.order) hosts.insert(host_of(run, own, a));
  if (hosts.size() != 2 || !run.aligned) return way;  // of two clocks: no times between them
  const BetweenHosts between = find_between_hosts(run, own);
  if (between.empty()) return way;
  way.gain_percent = gain_percent(run, own, between);
  if (way.gain_percent < kLeastPercent) return way;
  const auto longest = std::max_element(
      between.begin(), between.end(),
      [](const auto& a, const auto& b) { return a.second.all_ns < b.second.all_ns; });
  const Alike& alike = longest->second;
  way.operation = run.arrivals[alike.ranks.front().arrival].operation;
  way.busbw_gbs = middle_busbw_gbs(run, own, alike);
  return way;
}

}  // namespace lockstep::analysis
