#include "analysis/export/clock_counters.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

namespace lockstep::analysis {
namespace {

constexpr double kMostPpb = 1e15;  // beyond this a model is damaged

struct Series {
  const char* name;
  CounterUnit unit;
};
enum Which { kError, kOffset, kOffsetLeast, kOffsetMost, kDrift, kDriftLeast, kDriftMost, kSeries };
constexpr Series kNames[kSeries] = {
    {"clock error ", CounterUnit::Nanoseconds},
    {"clock offset ", CounterUnit::Nanoseconds},
    {"clock offset, least ", CounterUnit::Nanoseconds},
    {"clock offset, most ", CounterUnit::Nanoseconds},
    {"clock drift ", CounterUnit::PartsPerBillion},
    {"clock drift, least ", CounterUnit::PartsPerBillion},
    {"clock drift, most ", CounterUnit::PartsPerBillion},
};

using Points = std::map<int64_t, const ClockRow*>;  // by time on the run's axis

int64_t ppb(double change_ns, int64_t taken_ns) {
  const double value = change_ns / static_cast<double>(taken_ns) * 1e9;
  return std::llround(std::clamp(value, -kMostPpb, kMostPpb));
}

// Of the points before the run the last one counts, of those after it the first.
void add_point(ClockCounter* counter, const OperationSpan& bounds, int64_t at_ns, int64_t value) {
  const int64_t shown_ns = std::clamp(at_ns, bounds.start_ns, bounds.stop_ns);
  auto& points = counter->points;
  const bool is_again = !points.empty() && points.back().first == shown_ns;
  if (is_again && at_ns > bounds.start_ns) return;
  if (is_again) points.pop_back();
  points.emplace_back(shown_ns, value);
}

// How fast the clock went from this point to the next, which was no slower and no faster than the bands
// at both ends allow.
void add_drift(std::vector<ClockCounter>* host, const OperationSpan& bounds,
               Points::const_iterator from, Points::const_iterator to) {
  const int64_t taken_ns = to->first - from->first;
  const auto change = static_cast<double>(to->second->offset_ns - from->second->offset_ns);
  const double band =
      static_cast<double>(from->second->error_ns) + static_cast<double>(to->second->error_ns);
  add_point(&(*host)[kDrift], bounds, from->first, ppb(change, taken_ns));
  add_point(&(*host)[kDriftLeast], bounds, from->first, ppb(change - band, taken_ns));
  add_point(&(*host)[kDriftMost], bounds, from->first, ppb(change + band, taken_ns));
}

std::vector<ClockCounter> counters_of(Text host, const std::string& name, const Points& points,
                                      const OperationSpan& bounds) {
  std::vector<ClockCounter> counters;
  for (const Series& series : kNames)
    counters.push_back({host, series.name + name, series.unit, {}});
  const int64_t first_ns = points.begin()->second->offset_ns;
  for (auto point = points.begin(); point != points.end(); ++point) {
    const auto& [at_ns, row] = *point;
    const int64_t gone_ns = row->offset_ns - first_ns;
    add_point(&counters[kError], bounds, at_ns, row->error_ns);
    add_point(&counters[kOffset], bounds, at_ns, gone_ns);
    add_point(&counters[kOffsetLeast], bounds, at_ns, gone_ns - row->error_ns);
    add_point(&counters[kOffsetMost], bounds, at_ns, gone_ns + row->error_ns);
    if (const auto next = std::next(point); next != points.end())
      add_drift(&counters, bounds, point, next);
  }
  return counters;
}

}  // namespace

std::vector<ClockCounter> clock_counters(const RunTables& run, const OperationSpan& bounds) {
  std::map<Text, Points> hosts;
  for (const ClockRow& row : run.clock) hosts[row.host][row.at_ns + row.offset_ns] = &row;
  std::vector<ClockCounter> all;
  for (const auto& [host, points] : hosts) {
    for (ClockCounter& counter : counters_of(host, run.text(host), points, bounds)) {
      if (!counter.points.empty()) all.push_back(std::move(counter));
    }
  }
  return all;
}

}  // namespace lockstep::analysis
