// What else was going on, as lanes above the page's heat map: training steps and ranges that the program marked, captures,
// and when a host was short of something. Pure function of the tables; one thread.
#pragma once

#include <string>
#include <vector>

#include "analysis/pyramid/run_time.h"
#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

struct LaneSpan {
  int64_t from_ns = 0, to_ns = 0;  // run time; the same for a moment
  std::string text;
};

struct PageLane {
  enum class Kind { Steps, Ranges, Moments, Captures, Pressure };
  Kind kind = Kind::Steps;
  std::string name;
  std::vector<LaneSpan> spans;  // in order; neighbours are put together where there are too many
};
constexpr const char* kLaneKindNames[] = {"steps", "ranges", "moments", "captures", "pressure"};

// From above to below. Of ranges those that take most time, of hosts those that are short longest.
std::vector<PageLane> lanes_of(const RunTables& run, const RunTime& time);

}  // namespace lockstep::analysis
