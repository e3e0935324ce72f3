// When in the run a culprit was late: all the time or not. A checkpoint of one rank comes at a period,
// a warm-up at the start, a noisy neighbour in bursts, a leak grows. Plain data and one pure function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::analysis {

enum class WhenLate : uint8_t { Throughout, AtStart, InBursts, Periodic, Growing, Once };
constexpr const char* kWhenLateNames[] = {"throughout", "at_start", "in_bursts",
                                          "periodic",   "growing",  "once"};

struct LateMoment {
  int64_t at_ns = 0, excess_ns = 0;
};
struct LatePattern {
  WhenLate when = WhenLate::Throughout;
  int64_t period_ns = 0;     // Periodic
  int64_t until_ns = 0;      // AtStart, Once: from the start of the run to the last of them
  double share_of_time = 1;  // InBursts: in which nearly all of it fell
  double growth = 1;         // Growing: the last third of the run against the first
};

// moments: in the order of time, within [first_ns, last_ns]. launches: in that time, of which one late rank may be late
// for each; rounds: of calls that come again and again, as in training steps, whose own period is none.
LatePattern pattern_of(const std::vector<LateMoment>& moments, int64_t first_ns, int64_t last_ns,
                       uint64_t launches, uint64_t rounds);

// After how many calls nearly all are what they were before; 1 where nothing comes again, or one call alone.
size_t round_of(const std::vector<uint64_t>& calls);

}  // namespace lockstep::analysis
