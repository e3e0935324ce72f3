#include "analysis/whatif/held_calls.h"

#include <algorithm>
#include <vector>

#include "analysis/follow/wait_error.h"
#include "analysis/tables/collectives.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

bool takes_part(const OwnSegments& own, const MatchRow& match, uint32_t actor) {
  for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
    if (own.segments[a].actor == actor) return true;
  }
  return false;
}

// How long the other ranks took from the last arrival at the operation before to their own call of this
// one; less than 0: the one before had not even begun.
std::vector<int64_t> others_took(const RunTables& run, const OwnSegments& own, uint32_t arrival) {
  std::vector<int64_t> took;
  const Segment& late = own.segments[arrival];
  const uint32_t before = run.arrivals[late.before].match;
  const MatchRow& match = run.matches[run.arrivals[arrival].match];
  for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
    const Segment& other = own.segments[a];
    if (other.actor != kNoRow && other.actor != late.actor &&
        takes_part(own, run.matches[before], other.actor))
      took.push_back(other.start_ns - own.last_start_ns[before]);
  }
  return took;
}

bool some_ran_ahead(const std::vector<int64_t>& took) {
  return std::any_of(took.begin(), took.end(), [](int64_t ns) { return ns < 0; });
}

bool end_is_not_known(const OwnSegments& own, const Segment& segment) {
  return segment.before != kNoRow && !own.segments[segment.before].end_known;
}

// Of the rank's operations, the share that some call while the one before has not begun.
double share_of_runs_ahead(const RunTables& run, const OwnSegments& own, uint32_t actor) {
  size_t all = 0, ahead = 0;
  for (const uint32_t a : own.order) {
    const Segment& segment = own.segments[a];
    if (segment.actor != actor || !segment.counts || !end_is_not_known(own, segment)) continue;
    ++all;
    if (some_ran_ahead(others_took(run, own, a))) ++ahead;
  }
  return all == 0 ? 0 : static_cast<double>(ahead) / static_cast<double>(all);
}

// at_most: where calls wait for the operation before and for no earlier one, its data cannot be later
// than it took the others.
bool may_be_held(const RunTables& run, const OwnSegments& own, const Occasion& one, bool at_most) {
  const Segment& late = own.segments[one.arrival];
  if (!end_is_not_known(own, late) || !own.segments[late.before].waits) return false;
  std::vector<int64_t> took = others_took(run, own, one.arrival);
  if (some_ran_ahead(took)) return false;
  const MatchRow& before = run.matches[run.arrivals[late.before].match];
  return !at_most || took.empty() || !ends_together(run.text(before.func)) ||
         one.excess_ns <= median(&took);
}

}  // namespace

double share_of_held_calls(const RunTables& run, const OwnSegments& own, const Culprit& culprit) {
  const double ahead = share_of_runs_ahead(run, own, culprit.actors.front());
  if (ahead > 0.5) return 0;
  int64_t all_ns = 0, held_ns = 0;
  for (const Occasion& one : culprit.occasions) {
    all_ns += one.excess_ns;
    if (may_be_held(run, own, one, ahead == 0)) held_ns += one.excess_ns;
  }
  return all_ns == 0 ? 0 : static_cast<double>(held_ns) / static_cast<double>(all_ns);
}

}  // namespace lockstep::analysis
