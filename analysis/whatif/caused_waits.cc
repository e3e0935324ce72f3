#include "analysis/whatif/caused_waits.h"

#include <algorithm>

#include "analysis/follow/wait_error.h"

namespace lockstep::analysis {
namespace {

// Others waited for at least this part of the excess: the rest may fall into a bubble of a pipeline. By
// the calls alone, which run ahead, little of what seems waited for was.
constexpr int64_t kLeastWait = 8, kLeastWaitByCalls = 2;

int64_t waited_by_others(const Waiting& waiting, const std::vector<uint32_t>& actors,
                         uint32_t arrival) {
  const RunTables& run = waiting.run;
  const MatchRow& match = run.matches[run.arrivals[arrival].match];
  int64_t longest_ns = 0;
  for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
    const Segment& one = waiting.own.segments[a];
    if (one.waits && !std::binary_search(actors.begin(), actors.end(), one.actor))
      longest_ns = std::max(longest_ns, waiting.own.segments[arrival].start_ns - one.start_ns -
                                            wait_error_ns(run, waiting.own, a, arrival));
  }
  return longest_ns;
}

// Ranks that are late together need not be on the path with those who wait for them: these do so in an
// operation beside it, on another stream, and come to the next one on the path no sooner for that.
// end: the first piece of somebody else's after that at hand.
int64_t wait_beside(const Waiting& waiting, const std::vector<uint32_t>& actors, size_t at,
                    size_t end) {
  const OwnSegments& own = waiting.own;
  const Segment& first = own.segments[waiting.path[at].arrival];
  const int64_t until_ns =
      end < waiting.path.size() ? own.segments[waiting.path[end].arrival].start_ns : waiting.end_ns;
  int64_t longest_ns = 0;
  for (size_t i = waiting.begin_of[first.actor]; i < waiting.begin_of[first.actor + 1]; ++i) {
    const Segment& one = own.segments[own.order[i]];
    if (one.start_ns < first.start_ns || one.start_ns > until_ns) continue;
    longest_ns = std::max(longest_ns, waited_by_others(waiting, actors, own.order[i]));
  }
  return longest_ns;
}

}  // namespace

int64_t longest_caused_wait(const Waiting& waiting, const std::vector<uint32_t>& actors,
                            size_t at) {
  const std::vector<PathPiece>& path = waiting.path;
  const int64_t excess_ns = path[at].excess_ns;
  const bool by_kernel = waiting.run.arrivals[path[at].arrival].basis == ArrivalBasis::KernelStart;
  const int64_t part = by_kernel ? kLeastWait : kLeastWaitByCalls;
  const auto is_theirs = [&](const PathPiece& piece) {
    const uint32_t actor = waiting.own.segments[piece.arrival].actor;
    return std::binary_search(actors.begin(), actors.end(), actor);
  };
  size_t i = at;
  for (; i < path.size() && is_theirs(path[i]); ++i) {
    if (path[i].waited_ns * part >= excess_ns) return std::min(path[i].waited_ns, excess_ns);
    if (i != at && path[i].excess_ns * 2 >= excess_ns) break;
  }
  const int64_t beside_ns = actors.size() > 1 ? wait_beside(waiting, actors, at, i) : 0;
  return beside_ns * part >= excess_ns ? std::min(beside_ns, excess_ns) : 0;
}

}  // namespace lockstep::analysis
