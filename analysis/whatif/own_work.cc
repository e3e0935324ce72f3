#include "analysis/whatif/own_work.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/whatif/when_late.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

// Work varies by less than this part of what it usually takes; and where it takes longer at the same places of
// training steps, it is of two sorts, of which one may take more than twice as long as the other. Of 33
// simulated stages that were late throughout or more and more none was late by less than twice its usual work;
// of three that were not, none by more than once.
constexpr double kMostAtTimes = 0.5, kMostThere = 1.5;
// At such places it takes longer in this part of the steps, and so much of what is late lies there.
constexpr double kAlways = 0.6;
constexpr uint64_t kFewestSteps = 4;

// How often a call at one place of training steps was late, by call and place.
struct Place {
  uint64_t late = 0, all = 0;
};
using Places = std::map<std::pair<uint64_t, uint32_t>, Place>;

bool always_there(const Places& places) {
  uint64_t late = 0, there = 0;
  for (const auto& [key, place] : places) {
    late += place.late;
    if (place.all < kFewestSteps) continue;
    if (static_cast<double>(place.late) >= kAlways * static_cast<double>(place.all))
      there += place.late;
  }
  return static_cast<double>(there) >= kAlways * static_cast<double>(late);
}

}  // namespace

bool may_be_its_work(const RunTables& run, const OwnSegments& own, const Roles& roles,
                     const Excesses& excesses, const OwnOccasions& culprit) {
  std::vector<LateMoment> moments;
  std::vector<int64_t> late_ns, usual_ns;
  std::set<uint64_t> calls;  // that it comes late to
  for (const Occasion& one : culprit.occasions) {
    const Segment& segment = own.segments[one.arrival];
    moments.push_back({segment.start_ns, one.excess_ns});
    late_ns.push_back(one.excess_ns);
    usual_ns.push_back(segment.own_ns - one.excess_ns);
    calls.insert(roles.call[one.arrival]);
  }
  if (moments.empty()) return false;
  const int64_t typical_ns = lower_median(&late_ns);
  Places places;
  std::map<uint64_t, uint32_t> passed;  // in the step at hand, by call
  uint64_t all = 0;
  uint32_t step = kNoRow;
  for (const uint32_t a : own.order) {
    if (own.segments[a].actor != culprit.actor || calls.count(roles.call[a]) == 0) continue;
    const uint32_t its_step = run.matches[run.arrivals[a].match].step;
    if (its_step != step) passed.clear();
    step = its_step;
    Place& place = places[{roles.call[a], passed[roles.call[a]]++}];
    ++all;
    ++place.all;
    place.late += excesses.ns[a] * 2 >= typical_ns ? 1 : 0;
  }
  const WhenLate when = pattern_of(moments, culprit.first_ns, culprit.last_ns, all, all).when;
  if (when != WhenLate::Throughout && when != WhenLate::Growing) return false;
  const double most = always_there(places) ? kMostThere : kMostAtTimes;
  return static_cast<double>(typical_ns) < most * static_cast<double>(lower_median(&usual_ns));
}

}  // namespace lockstep::analysis
