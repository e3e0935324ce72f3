// A time of the run's axis as CLOCK_REALTIME of the process's host, for formats that want one. The
// offset is that of one instant of the process: a clock that was stepped or slewed during the run
// moves it by as much.
#pragma once

#include <cinttypes>
#include <cstdio>
#include <string>

#include "analysis/tables/tables_process.h"

namespace lockstep::analysis {

inline int64_t wall_ns(const ProcessRow& process, int64_t axis_ns) {
  return axis_ns - process.raw_offset_ns + process.real_offset_ns;
}

// Of a damaged recording it may be missing.
inline bool knows_wall_time(const ProcessRow& process) { return process.real_offset_ns != 0; }

// Nanoseconds as decimal microseconds without rounding: -1500 -> "-1.500".
inline std::string microseconds_text(int64_t ns) {
  const uint64_t size = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  char text[40];
  std::snprintf(text, sizeof(text), "%s%" PRIu64 ".%03u", ns < 0 ? "-" : "", size / 1000,
                static_cast<unsigned>(size % 1000));
  return text;
}

}  // namespace lockstep::analysis
