// When somebody was late, and how much of that time something else took. Pure functions; plain data.
#pragma once

#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/follow/role_reference.h"
#include "analysis/judge/finding.h"

namespace lockstep::analysis {

// An own segment (own_segments.h) that took longer than its reference.
struct LateWindow {
  uint32_t process = kNoRow;
  uint32_t tid = 0;  // that called the operation it came late to; 0 = not known
  int64_t from_ns = 0, to_ns = 0;
  int64_t excess_ns = 0;  // beyond the reference
};

// So much of something happened somewhere between two instants.
struct Span {
  int64_t from_ns = 0, to_ns = 0;
  int64_t amount_ns = 0;
};

// Of each process that the finding accuses, the segments at least half as late as is typical of it; by
// process, then time.
std::vector<LateWindow> late_windows(const RunTables& run, const OwnSegments& own,
                                     const Excesses& excesses, const Finding& straggler);

int64_t excess_of(const std::vector<LateWindow>& windows);

// How much of the windows' excess these spans can explain: each nanosecond of a span once, in a window
// that it may have fallen into, and no window more than its excess. Both in the order of time, of one process.
int64_t covered_ns(const std::vector<LateWindow>& windows, std::vector<Span> spans);

// The excess of the windows during which something of this lasted.
int64_t overlapped_ns(const std::vector<LateWindow>& windows, const std::vector<Span>& spans);

}  // namespace lockstep::analysis
