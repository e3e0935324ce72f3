#include "analysis/paths/moment_chance.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/chance/chance.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Where chance makes one edge show most as often as this, no number of steps in a row tells which is slow.
constexpr double kMostForOneEdge = 0.3;

// What shows an excess, of an edge, and what it usually is.
struct Shown {
  std::vector<int64_t> EdgeSamples::*times = nullptr;
  int64_t UsualEdge::*usual_ns = nullptr;
};
Shown shown_by(SlowSide side, const UsualEdge& usual) {
  if (side == SlowSide::ReceiverProxy && usual.uptake_ns != kNoTime)
    return {&EdgeSamples::uptake, &UsualEdge::uptake_ns};
  if (is_by_ends(side)) return {&EdgeSamples::later, &UsualEdge::later_ns};
  if (side == SlowSide::Link) return {&EdgeSamples::wire, &UsualEdge::wire_ns};
  if (side == SlowSide::ReceiverGpu) return {&EdgeSamples::gpu, &UsualEdge::gpu_ns};
  return {&EdgeSamples::lag, &UsualEdge::lag_ns};
}

int64_t more_than_usual(const std::vector<int64_t>& times, int64_t usual_ns,
                        const std::vector<uint32_t>& operations) {
  std::vector<int64_t> more_ns;
  for (const uint32_t i : operations) {
    if (times[i] != kNoTime && usual_ns != kNoTime) more_ns.push_back(times[i] - usual_ns);
  }
  return more_ns.empty() ? 0 : median(&more_ns);
}

// Those between hosts follow each other around the ring; the way into a host and that out of it are its own, whichever
// ranks they end at.
bool share_an_end(const std::vector<const EdgeSamples*>& alike, size_t i, size_t k) {
  const EdgeSamples &a = *alike[i], &b = *alike[k];
  const size_t next = (i + 1) % alike.size(), before = (i + alike.size() - 1) % alike.size();
  return (a.network && (k == next || k == before)) || a.from == b.from || a.from == b.to ||
         a.to == b.from || a.to == b.to;
}

double log_of_choices(size_t some, size_t of) {
  const auto k = static_cast<double>(some), n = static_cast<double>(of);
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

// That so many slow steps, anywhere among all of them, lie in this many rows of steps or fewer.
double chance_of_rows(size_t slow, size_t all, size_t rows) {
  double chance = 0;
  for (size_t row = 1; row <= rows && row <= all - slow + 1; ++row)
    chance += std::exp(log_of_choices(row - 1, slow - 1) + log_of_choices(row, all - slow + 1) -
                       log_of_choices(slow, all));
  return std::min(1.0, chance);
}

using Steps = std::map<uint32_t, std::vector<uint32_t>>;  // operations by step

double chance_of_rows(const Steps& slow, const RingSeries& series,
                      const std::vector<uint32_t>& step_of) {
  std::set<uint32_t> all;
  for (const uint32_t match : series.matches) all.insert(step_of[match]);
  size_t rows = 0;
  bool before = false;
  for (const uint32_t step : all) {
    const bool is_slow = slow.count(step) != 0;
    rows += is_slow && !before ? 1 : 0;
    before = is_slow;
  }
  return chance_of_rows(slow.size(), all.size(), rows);
}

// Of two independent chances together (Fisher, Statistical Methods for Research Workers, 1932).
double both(double a, double b) {
  const double product = std::max(a * b, 1e-300);
  return product * (1 - std::log(product));
}

}  // namespace

double chance_of_moments(const RingSeries& series, const TransferExcess& found,
                         const std::vector<UsualEdge>& usual, const std::vector<uint32_t>& slow,
                         const std::vector<uint32_t>& step_of) {
  const std::vector<EdgeSamples>& edges = series.edges;
  const auto own = std::find_if(edges.begin(), edges.end(), [&](const EdgeSamples& edge) {
    return found.actors == std::vector<uint32_t>{edge.from, edge.to};
  });
  if (own == edges.end()) return 0;
  Steps steps;
  for (const uint32_t i : slow) steps[step_of[series.matches[i]]].push_back(i);
  const Shown shown = shown_by(found.side, usual[static_cast<size_t>(own - edges.begin())]);
  std::vector<const EdgeSamples*> alike;
  std::vector<std::vector<int64_t>> more_ns;  // by edge that is like its own, by step
  std::vector<int64_t> typical_ns;
  for (size_t edge = 0; edge < edges.size(); ++edge) {
    if (edges[edge].network != own->network) continue;
    std::vector<int64_t>& of_edge = more_ns.emplace_back();
    for (const auto& [step, operations] : steps)
      of_edge.push_back(
          more_than_usual(edges[edge].*shown.times, usual[edge].*shown.usual_ns, operations));
    std::vector<int64_t> sorted = of_edge;
    typical_ns.push_back(median(&sorted));
    alike.push_back(&edges[edge]);
  }
  if (alike.size() < 2) return 0;
  const auto place = [](auto begin, auto at) { return static_cast<size_t>(at - begin); };
  const size_t most =
      place(typical_ns.begin(), std::max_element(typical_ns.begin(), typical_ns.end()));
  const size_t at = place(alike.begin(), std::find(alike.begin(), alike.end(), &*own));
  // Found for what an edge elsewhere shows: that is the other's.
  if (typical_ns[at] <= 0 && !share_an_end(alike, at, most)) return 1;
  std::vector<TrialLoss> trials(steps.size());
  for (size_t step = 0; step < trials.size(); ++step) {
    std::vector<int64_t> here_ns;
    for (const std::vector<int64_t>& of_edge : more_ns) here_ns.push_back(of_edge[step]);
    const int64_t most_ns = *std::max_element(here_ns.begin(), here_ns.end());
    const int64_t usual_ns = lower_median(&here_ns);  // the ends around a ring add up to 0
    const bool same = more_ns[most][step] - usual_ns >= part_of(most_ns - usual_ns, kNearlyMost);
    (same ? trials[step].own_ns : trials[step].others_ns) =
        std::max<int64_t>(1, most_ns - usual_ns);
  }
  const double of_one_edge = chance_of(trials, 1 / static_cast<double>(alike.size()));
  if (of_one_edge > kMostForOneEdge) return 1;
  return std::min(of_one_edge, both(of_one_edge, chance_of_rows(steps, series, step_of)));
}

}  // namespace lockstep::analysis
