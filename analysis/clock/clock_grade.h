// The words good, usable and bad for hosts and edges, and why: what `lockstep clock` tells people.
// Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "clocksync/solve/graph_solver.h"

namespace lockstep::analysis {

enum class Grade : uint8_t { Good, Usable, Bad };
constexpr const char* kGradeNames[] = {"good", "usable", "bad"};

struct Graded {
  Grade grade = Grade::Good;
  std::string reason;  // empty when good
};

struct HostView {
  std::string host;
  clocksync::OffsetSource source = clocksync::OffsetSource::None;
  bool connected = false;     // with the reference
  int64_t half_width_ns = 0;  // median of the guaranteed interval against the reference
  Graded graded;
};

// How good an offset is, for people. Good: the guaranteed half-width is at most 20 us and nothing
// contradicts it. Usable: at most 1 ms, or something to know about it. Bad: the rest.
Graded grade_host(const clocksync::ClockModel& model, const HostView& host);
Graded grade_edge(const clocksync::EdgeReport& edge);

}  // namespace lockstep::analysis
