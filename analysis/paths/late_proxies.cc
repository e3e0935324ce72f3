#include "analysis/paths/late_proxies.h"

#include <algorithm>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Of an operation's time, how late a thread must be, over all passes.
constexpr double kLeastSeenLate = 0.02;
// Of what one end of a rank shows, what the other must show, and what others may at most.
constexpr double kOfOtherEnd = 0.5, kOfOthers = 0.25;
// Of what operations take longer, what a late thread must make up.
constexpr double kLeastMadeUp = 0.25;
constexpr size_t kFewestEdges = 3;

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

}  // namespace

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
