#include "clocksync/solve/collective_bounds.h"

#include <algorithm>

#include "clocksync/solve/hull.h"

namespace lockstep::clocksync {
namespace {

// A bin is thinned whenever it has this many points.
constexpr size_t kThinAt = 64;

struct HostTimes {
  int64_t latest_start_ns = kUnknownTime;
  int64_t earliest_end_ns = kUnknownTime;  // of those that take
  int64_t over_ns = kUnknownTime;          // the earliest end of all
};

bool gives(DataFlow flow, const Participant& rank) {
  return flow != DataFlow::FromRoot || rank.is_root;
}
bool takes(DataFlow flow, const Participant& rank) {
  return flow != DataFlow::ToRoot || rank.is_root;
}

void lower(int64_t* earliest_ns, int64_t ns) {
  if (*earliest_ns == kUnknownTime || ns < *earliest_ns) *earliest_ns = ns;
}

std::map<uint32_t, HostTimes> times_by_host(DataFlow flow, const std::vector<Participant>& ranks) {
  std::map<uint32_t, HostTimes> hosts;
  for (const Participant& rank : ranks) {
    HostTimes& host = hosts[rank.host];
    if (gives(flow, rank)) host.latest_start_ns = std::max(host.latest_start_ns, rank.start_ns);
    if (rank.end_ns == kUnknownTime) continue;
    lower(&host.over_ns, rank.end_ns);
    if (takes(flow, rank)) lower(&host.earliest_end_ns, rank.end_ns);
  }
  return hosts;
}

}  // namespace

std::vector<HappensBefore> happens_before(DataFlow flow, const std::vector<Participant>& ranks) {
  const std::map<uint32_t, HostTimes> by_host = times_by_host(flow, ranks);
  const std::vector<std::pair<uint32_t, HostTimes>> hosts(by_host.begin(), by_host.end());
  const size_t n = hosts.size();
  // With a root, only pairs with the root's host say anything; there are few of them.
  const bool sparse = n > kAllPairsHosts && flow == DataFlow::AllToAll;
  std::vector<HappensBefore> pairs;
  const auto add = [&](size_t from, size_t to) {
    const int64_t start_ns = hosts[from].second.latest_start_ns;
    const int64_t end_ns = hosts[to].second.earliest_end_ns;
    if (start_ns == kUnknownTime || end_ns == kUnknownTime) return;
    pairs.push_back({hosts[from].first, hosts[to].first, start_ns, end_ns,
                     hosts[from].second.over_ns, flow == DataFlow::AllToAll});
  };
  for (size_t i = 0; i < n; ++i) {
    const size_t reach = sparse ? kNeighbours : n - 1;
    for (size_t d = 1; d <= reach; ++d) {
      add(i, (i + d) % n);
      if (sparse) add((i + d) % n, i);
    }
  }
  return pairs;
}

void CollectiveBounds::add(const HappensBefore& o) {
  std::vector<HullPoint>& bin = directed_[{o.from, o.to}][o.start_ns / kHullBinNs];
  bin.push_back({o.start_ns, o.end_ns - o.start_ns, StampKind::None, 0});
  if (bin.size() >= kThinAt) bin = reduce_to_hull(std::move(bin));
  if (o.from_end_ns == kUnknownTime) return;
  // What both wait for comes twice, once from each side.
  if (o.from < o.to) {
    ends_[{o.from, o.to}].add(o.mutual ? LaterEnd::Either : LaterEnd::OfB, o.from_end_ns, o.end_ns);
  } else if (!o.mutual) {
    ends_[{o.to, o.from}].add(LaterEnd::OfA, o.end_ns, o.from_end_ns);
  }
}

std::map<CollectiveBounds::HostPair, CollectiveBounds::Learned> CollectiveBounds::take() {
  std::map<HostPair, Learned> edges;
  for (auto& [direction, bins] : directed_) {
    const auto [from, to] = direction;
    EdgeBounds& edge = edges[std::minmax(from, to)].bounds;
    for (auto& bin : bins) {
      for (const HullPoint& point : reduce_to_hull(std::move(bin.second))) {
        from < to ? edge.add_a_to_b(point) : edge.add_b_to_a(point);
      }
    }
  }
  for (auto& [pair, ends] : ends_) edges[pair].ends = std::move(ends);
  directed_.clear();
  ends_.clear();
  return edges;
}

}  // namespace lockstep::clocksync
