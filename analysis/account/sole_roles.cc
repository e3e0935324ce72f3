#include "analysis/account/sole_roles.h"

#include <algorithm>
#include <numeric>

#include "analysis/whatif/what_if.h"

namespace lockstep::analysis {
namespace {

// Of two, one always does more.
constexpr size_t kFewestRanks = 3;
// So many times what a rank does of the path on the average.
constexpr double kTimesAverage = 1.5;
// What they do together is such a part of the run's time, and they are no more than such a part of its ranks.
constexpr double kLeastShareOfRun = 0.5, kMostOfRanks = 0.5;

struct OnPath {
  int64_t own_ns = 0, longest_ns = 0;
  uint32_t arrival = kNoRow;  // of the longest
};

std::vector<OnPath> own_work_on_path(const RunTables& run, const FollowedRun& followed,
                                     int64_t* span_ns) {
  const OwnSegments& own = followed.own;
  WhatIf what_if(run, own, followed.excesses.ns);
  *span_ns = what_if.span_ns();
  std::vector<OnPath> on_path(own.actors.size());
  for (const PathPiece& piece : what_if.critical_path(std::vector<uint8_t>(own.actors.size(), 0))) {
    const Segment& segment = own.segments[piece.arrival];
    if (segment.before == kNoRow || segment.own_ns <= 0) continue;  // what a rank loads first
    OnPath& one = on_path[segment.actor];
    one.own_ns += segment.own_ns;
    if (segment.own_ns <= one.longest_ns) continue;
    one.longest_ns = segment.own_ns;
    one.arrival = piece.arrival;
  }
  return on_path;
}

}  // namespace

SoleRoles find_sole_roles(const RunTables& run, const FollowedRun& followed) {
  const OwnSegments& own = followed.own;
  SoleRoles sole;
  std::vector<uint8_t> active(own.actors.size(), 0);
  for (const uint32_t a : own.order) active[own.segments[a].actor] = 1;
  const auto ranks = static_cast<size_t>(std::count(active.begin(), active.end(), 1));
  const std::vector<uint8_t>& alone = followed.excesses.alone;
  const bool any_alone = std::inner_product(active.begin(), active.end(), alone.begin(), 0) != 0;
  if (ranks < kFewestRanks || !any_alone) return sole;  // no replay for nothing
  int64_t span_ns = 0, all_ns = 0, theirs_ns = 0, longest_ns = 0;
  const std::vector<OnPath> on_path = own_work_on_path(run, followed, &span_ns);
  for (const OnPath& one : on_path) all_ns += one.own_ns;
  const double much_ns = kTimesAverage * static_cast<double>(all_ns) / static_cast<double>(ranks);
  for (uint32_t actor = 0; actor < on_path.size(); ++actor) {
    const OnPath& one = on_path[actor];
    if (one.own_ns == 0 || static_cast<double>(one.own_ns) < much_ns) continue;
    if (alone[actor] == 0) return SoleRoles();  // others tell what is usual
    sole.actors.push_back(actor);
    theirs_ns += one.own_ns;
    if (one.longest_ns <= longest_ns) continue;
    longest_ns = one.longest_ns;
    sole.communicator = run.matches[run.arrivals[one.arrival].match].communicator;
  }
  if (static_cast<double>(theirs_ns) < kLeastShareOfRun * static_cast<double>(span_ns) ||
      static_cast<double>(sole.actors.size()) > kMostOfRanks * static_cast<double>(ranks))
    return SoleRoles();
  sole.share_percent = span_ns > 0 ? 100 * theirs_ns / span_ns : 0;
  return sole;
}

}  // namespace lockstep::analysis
