#include "analysis/paths/seen_ring.h"

namespace lockstep::analysis {
namespace {

// By this part the network works longer on the steps of a slow link.
constexpr double kLeastMoreWork = 0.05;

// By operation: what the edges from one to the other are done later, one after the other.
std::vector<int64_t> later_over(const RingSeries& series, size_t first, size_t last) {
  std::vector<int64_t> sums;
  for (size_t m = 0; m < series.matches.size(); ++m) {
    int64_t sum_ns = 0;
    for (size_t i = first; sum_ns != kNoTime; i = (i + 1) % series.edges.size()) {
      const int64_t later_ns = series.edges[i].later[m];
      sum_ns = later_ns == kNoTime ? kNoTime : sum_ns + later_ns;
      if (i == last) break;
    }
    sums.push_back(sum_ns);
  }
  return sums;
}

}  // namespace

SeenEdge look_at(const EdgeSamples& edge) {
  return {middle_of(edge.later), middle_of(edge.lag), middle_of(edge.wire),
          middle_of(edge.work),  middle_of(edge.gpu), {}};
}
SeenEdge look_at(const EdgeSamples& edge, const std::vector<uint32_t>& chosen) {
  return {middle_of(edge.later, chosen), middle_of(edge.lag, chosen), middle_of(edge.wire, chosen),
          middle_of(edge.work, chosen),  middle_of(edge.gpu, chosen), {}};
}

SeenRing look_at_ring(const RingSeries& series, const std::vector<uint32_t>& chosen) {
  const SeenOperations operations = look_at_operations(series.times, series.apart, chosen);
  SeenRing seen;
  seen.time = operations.time;
  seen.together = operations.together;
  seen.apart_ns = middle_of(series.apart, operations.telling).ns;
  for (const EdgeSamples& edge : series.edges) {
    SeenEdge& one = seen.edges.emplace_back(look_at(edge, chosen));
    one.later = middle_of(edge.later, operations.telling);
    one.least_later = least_of_groups(edge.later, chosen, series.last);
  }
  seen.passages.resize(series.edges.size());
  seen.least_passages.resize(series.edges.size());
  const std::vector<size_t> network = series.network_edges();
  for (size_t k = 0; k < network.size(); ++k) {
    const std::vector<int64_t> sums =
        later_over(series, network[k], network[(k + 1) % network.size()]);
    seen.passages[network[k]] = middle_of(sums, operations.telling);
    seen.least_passages[network[k]] = least_of_groups(sums, chosen, series.last);
  }
  return seen;
}

bool is_link_slow(const SeenEdge& seen, const UsualEdge& usual, int64_t least_ns) {
  return usual.wire_ns != kNoTime && stands_out(seen.wire, usual.wire_ns, least_ns) &&
         usual.work_ns != kNoTime &&
         stands_out(seen.work, usual.work_ns,
                    std::min(least_ns, static_cast<int64_t>(kLeastMoreWork *
                                                            static_cast<double>(usual.work_ns))));
}

size_t starters_that_show(const LeastOfGroups& least, const Middle& all, int64_t usual_ns) {
  // So much of what an edge shows it shows always, or it may be a trace of who starts last.
  constexpr double kAlwaysShown = 0.75;
  return stands_out(least.middle, usual_ns, part_of(all.ns - usual_ns, kAlwaysShown)) ? least.groups
                                                                                      : 0;
}

int64_t more_of_second(const Middle& later, const UsualEdge& usual) {
  if (later.ns > 0 && stands_out(later, usual.later_ns, 0)) return later.ns - usual.later_ns;
  const bool sooner = usual.beside_ns != kNoTime && usual.beside_ns < 0;
  return sooner && stands_out(later, usual.beside_ns, -usual.beside_ns / 2) ? 1 : 0;
}

bool are_of_one_host(const RingSeries& series, const std::vector<int64_t>& more_ns) {
  const std::vector<size_t> network = series.network_edges();
  std::vector<size_t> slow;  // places in `network`
  for (size_t k = 0; k < network.size(); ++k) {
    if (more_ns[network[k]] != 0) slow.push_back(k);
  }
  if (slow.size() < 2) return true;
  const size_t between = slow.back() - slow.front();
  return slow.size() == 2 && (between == 1 || between + 1 == network.size());
}

}  // namespace lockstep::analysis
