#include "analysis/why/late_windows.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "analysis/judge/places.h"

namespace lockstep::analysis {

std::vector<LateWindow> late_windows(const RunTables& run, const OwnSegments& own,
                                     const Excesses& excesses, const Finding& straggler) {
  std::set<uint32_t> processes;
  for (const Place& place : culprits_of(run, straggler)) processes.insert(place.process);
  const auto* facts = std::get_if<LateFacts>(&straggler.facts);
  const int64_t typical_ns = facts != nullptr ? facts->typical_ns : 0;
  std::vector<LateWindow> windows;
  for (const uint32_t a : own.order) {
    const Segment& segment = own.segments[a];
    if (!segment.counts || segment.own_ns == kNoTime || excesses.ns[a] <= 0 ||
        excesses.ns[a] * 2 < typical_ns)
      continue;
    const uint32_t process = own.actors[segment.actor].process;
    if (processes.count(process) == 0) continue;
    windows.push_back({process, run.operations[run.arrivals[a].operation].tid,
                       segment.start_ns - segment.own_ns, segment.start_ns, excesses.ns[a]});
  }
  std::sort(windows.begin(), windows.end(), [](const LateWindow& a, const LateWindow& b) {
    return std::tie(a.process, a.from_ns) < std::tie(b.process, b.from_ns);
  });
  return windows;
}

int64_t excess_of(const std::vector<LateWindow>& windows) {
  int64_t sum_ns = 0;
  for (const LateWindow& window : windows) sum_ns += window.excess_ns;
  return sum_ns;
}

int64_t covered_ns(const std::vector<LateWindow>& windows, std::vector<Span> spans) {
  int64_t sum_ns = 0;
  size_t first = 0;
  for (const LateWindow& window : windows) {
    while (first < spans.size() && spans[first].to_ns <= window.from_ns) ++first;
    int64_t left_ns = window.excess_ns;
    for (size_t i = first; i < spans.size() && spans[i].from_ns < window.to_ns; ++i) {
      const int64_t taken_ns = std::clamp<int64_t>(spans[i].amount_ns, 0, left_ns);
      spans[i].amount_ns -= taken_ns;
      left_ns -= taken_ns;
    }
    sum_ns += window.excess_ns - left_ns;
  }
  return sum_ns;
}

int64_t overlapped_ns(const std::vector<LateWindow>& windows, const std::vector<Span>& spans) {
  int64_t sum_ns = 0;
  for (const LateWindow& window : windows) {
    const bool meets = std::any_of(spans.begin(), spans.end(), [&](const Span& span) {
      return span.amount_ns > 0 && span.from_ns < window.to_ns && window.from_ns < span.to_ns;
    });
    if (meets) sum_ns += window.excess_ns;
  }
  return sum_ns;
}

}  // namespace lockstep::analysis
