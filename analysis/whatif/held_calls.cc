#include "analysis/whatif/held_calls.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analysis/tables/collectives.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// What a rank called before says which place of the training step it is at.
constexpr unsigned kContext = 2;
// Data of a ring is on all ranks within one of its hops, of which two ranks have two.
constexpr int64_t kPartOfData = 2;

bool end_is_not_known(const OwnSegments& own, const Segment& segment) {
  return segment.before != kNoRow && !own.segments[segment.before].end_known;
}

class HeldCallSearch {
 public:
  HeldCallSearch(const RunTables& run, const OwnSegments& own, const Roles& roles,
                 const Culprit& culprit)
      : run_(run),
        own_(own),
        culprit_(culprit),
        positions_(positions_of(own, roles, kContext)),
        next_(own.segments.size(), kNoRow) {
    for (size_t i = 1; i < own.order.size(); ++i) {
      if (own.segments[own.order[i - 1]].actor == own.segments[own.order[i]].actor)
        next_[own.order[i - 1]] = own.order[i];
    }
  }

  HeldCalls find() {
    if (share_of_runs_ahead() > 0.5) return {0, true};
    int64_t all_ns = 0, held_ns = 0;
    for (const Occasion& one : culprit_.occasions) {
      all_ns += one.excess_ns;
      if (may_be_held(one)) held_ns += one.excess_ns;
    }
    return {all_ns == 0 ? 0 : static_cast<double>(held_ns) / static_cast<double>(all_ns), false};
  }

 private:
  bool is_culprit(uint32_t actor) const {
    return std::count(culprit_.actors.begin(), culprit_.actors.end(), actor) != 0;
  }
  // likely: how many rows after the first, where all of the operation before take part.
  uint32_t row_of(const MatchRow& match, uint32_t actor, uint32_t likely) const {
    if (likely < match.arrivals && own_.segments[match.first_arrival + likely].actor == actor)
      return match.first_arrival + likely;
    for (uint32_t a = match.first_arrival; a < match.first_arrival + match.arrivals; ++a) {
      if (own_.segments[a].actor == actor) return a;
    }
    return kNoRow;
  }

  // How long the other ranks took from the last arrival at the operation before to their own call of this one, or, who
  // takes no part in it, to their next; less than 0: the one before had not even begun.
  std::vector<int64_t> others_took(uint32_t arrival) const {
    std::vector<int64_t> took;
    const Segment& late = own_.segments[arrival];
    const MatchRow& match = run_.matches[run_.arrivals[arrival].match];
    const uint32_t before = run_.arrivals[late.before].match;
    const MatchRow& earlier = run_.matches[before];
    for (uint32_t a = earlier.first_arrival; a < earlier.first_arrival + earlier.arrivals; ++a) {
      const uint32_t actor = own_.segments[a].actor;
      if (actor == kNoRow || actor == late.actor) continue;
      const uint32_t here = row_of(match, actor, a - earlier.first_arrival);
      const uint32_t then = here != kNoRow ? here : next_[a];
      if (then != kNoRow) took.push_back(own_.segments[then].start_ns - own_.last_start_ns[before]);
    }
    return took;
  }

  static bool some_ran_ahead(const std::vector<int64_t>& took) {
    return std::any_of(took.begin(), took.end(), [](int64_t ns) { return ns < 0; });
  }

  // Of the rank's operations, the share that some call while the one before has not begun.
  double share_of_runs_ahead() {
    size_t all = 0, ahead = 0;
    for (const uint32_t a : own_.order) {
      const Segment& segment = own_.segments[a];
      if (!is_culprit(segment.actor) || !segment.counts || !end_is_not_known(own_, segment))
        continue;
      const bool runs_ahead = some_ran_ahead(others_took(a));
      ahead_at_[positions_[a]] += runs_ahead ? 1 : 0;
      if (segment.actor != culprit_.actors.front()) continue;
      ++all;
      ahead += runs_ahead ? 1 : 0;
    }
    return all == 0 ? 0 : static_cast<double>(ahead) / static_cast<double>(all);
  }

  // Where calls wait for the operation before and for no earlier one, its data cannot be later than a part of what it
  // took the others.
  bool may_be_held(const Occasion& one) const {
    const Segment& late = own_.segments[one.arrival];
    if (!end_is_not_known(own_, late) || !own_.segments[late.before].waits) return false;
    std::vector<int64_t> took = others_took(one.arrival);
    if (some_ran_ahead(took)) return false;
    const MatchRow& before = run_.matches[run_.arrivals[late.before].match];
    const auto ahead = ahead_at_.find(positions_[one.arrival]);
    const bool at_most = ahead == ahead_at_.end() || ahead->second == 0;
    return !at_most || took.empty() || !ends_together(run_.text(before.func)) ||
           one.excess_ns * kPartOfData <= median(&took);
  }

  const RunTables& run_;
  const OwnSegments& own_;
  const Culprit& culprit_;
  const std::vector<uint64_t> positions_;          // by row of `arrivals`
  std::vector<uint32_t> next_;                     // by row: of the same rank
  std::unordered_map<uint64_t, size_t> ahead_at_;  // by position: how often some ran ahead there
};

}  // namespace

HeldCalls held_calls_of(const RunTables& run, const OwnSegments& own, const Roles& roles,
                        const Culprit& culprit) {
  const bool may_be_held = std::any_of(
      culprit.occasions.begin(), culprit.occasions.end(),
      [&](const Occasion& one) { return end_is_not_known(own, own.segments[one.arrival]); });
  return may_be_held ? HeldCallSearch(run, own, roles, culprit).find() : HeldCalls();
}

}  // namespace lockstep::analysis
