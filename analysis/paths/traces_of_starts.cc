#include "analysis/paths/traces_of_starts.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Beside ranks that are late, what only ends show is no trace of that where it is so many times what the
// ranks start apart by their own doing; where they start no further apart than that edge lets them end;
// and where it is such a part of the operation's time.
constexpr int64_t kBeyondStarts = 2;
constexpr double kOfStarts = 0.95, kOfOwnStarts = 0.5, kLeastPartBesideLate = 0.28;

// Whichever of so many hosts starts last it shows, or of one more where ranks are late: two that are leave a trace that
// shows with either.
constexpr size_t kFewestLast = 2;

struct StartsApart {
  int64_t all_ns = 0;  // usually
  int64_t own_ns = 0;  // by what each rank did itself before, in three quarters of the operations
};
StartsApart how_apart(const RunTables& run, const OwnSegments& own,
                      const std::vector<uint32_t>& matches) {
  std::vector<int64_t> all_ns, own_ns;
  for (const uint32_t m : matches) {
    const MatchRow& match = run.matches[m];
    int64_t first_ns = own.last_start_ns[m];
    int64_t least_ns = std::numeric_limits<int64_t>::max(), most_ns = 0;
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      const Segment& segment = own.segments[a];
      if (segment.own_ns == kNoTime) continue;
      first_ns = std::min(first_ns, segment.start_ns);
      least_ns = std::min(least_ns, segment.own_ns);
      most_ns = std::max(most_ns, segment.own_ns);
    }
    all_ns.push_back(own.last_start_ns[m] - first_ns);
    own_ns.push_back(std::max<int64_t>(0, most_ns - least_ns));
  }
  return {median(&all_ns), quantile(&own_ns, 0.75)};
}

}  // namespace

std::vector<TransferExcess> without_traces_of_starts(const RunTables& run, const OwnSegments& own,
                                                     Starts starts,
                                                     std::vector<TransferExcess> all) {
  for (TransferExcess& one : all)
    one.sure = one.sure || one.last_starters >= kFewestLast + (starts == Starts::SomebodyIsLate);
  const auto trace = [&](const TransferExcess& one) {
    if (one.sure || !is_by_ends(one.side)) return false;
    const auto took_ns = static_cast<double>(one.usual_ns + one.excess_ns);
    const auto excess_ns = static_cast<double>(one.excess_ns);
    const StartsApart apart = how_apart(run, own, one.matches);
    const bool within_starts = excess_ns < kOfStarts * static_cast<double>(apart.all_ns);
    const bool by_starts = one.excess_ns < kBeyondStarts * apart.own_ns || within_starts;
    if (starts == Starts::SomebodyIsLate)
      return by_starts || excess_ns < kLeastPartBesideLate * took_ns;
    // Its network steps are as fast as others': nothing but the ends shows it.
    if (one.side == SlowSide::Sender) return by_starts;
    // Another edge of this ring shows more than starts can make.
    const bool beside_sure = std::any_of(all.begin(), all.end(), [&](const TransferExcess& other) {
      return other.sure && other.communicator == one.communicator && other.channel == one.channel &&
             other.matches == one.matches;
    });
    return !beside_sure && excess_ns < kOfOwnStarts * static_cast<double>(apart.own_ns) &&
           within_starts;
  };
  std::vector<TransferExcess> kept;  // apart, as all are asked of each
  std::remove_copy_if(all.begin(), all.end(), std::back_inserter(kept), trace);
  return kept;
}

}  // namespace lockstep::analysis
