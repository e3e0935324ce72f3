// How well the hosts were probed: how much of the run was heard, and how much got lost, by host and by pair
// of hosts. From what the probers wrote; the grades of clock_grade.h use it. Pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "analysis/clock/clock_grade.h"
#include "analysis/clock/clock_input.h"

namespace lockstep::analysis {

struct Probed {
  std::string interface;                       // of an edge, as its hosts call it
  uint64_t windows = 0, ok_windows = 0;        // window_stats lines, and those with status ok
  uint64_t received = 0, lost = 0;             // packets
  uint64_t heard_seconds = 0, of_seconds = 0;  // of the run, those in which something was heard

  bool any() const { return received + lost + windows != 0; }
  double loss_percent() const;      // 0 where nothing came or should have come
  double coverage_percent() const;  // 0 where the run's length is not known
};

std::string percent_text(double percent);

// When each host's processes recorded, seconds of its raw clock; first and last included.
using RecordedSeconds = std::map<std::string, std::pair<int64_t, int64_t>>;

// Of what a and b heard of each other by one interface: packets and windows of both, the worse
// coverage of the two.
Probed probed_edge(const ClockInput& input, const RecordedSeconds& recorded,
                   const ProbedPath& path);
// Of what a host heard of all of its neighbors: seconds in which it heard any; windows and packets of
// each neighbor by the interface that lost the smallest share, because one good path is enough.
Probed probed_host(const ClockInput& input, const RecordedSeconds& recorded,
                   const std::string& host);

// Usable at best where 1 % of the packets or more are lost, or a tenth of a run of ten seconds or more is
// not covered. Not known at best where few packets (under 100) tell nothing about loss, a shorter run nothing
// about coverage, or not one window ended.
void grade_probing(const Probed& probed, Graded* graded);

}  // namespace lockstep::analysis
