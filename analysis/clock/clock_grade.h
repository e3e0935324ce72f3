// The words good, not known, usable and bad for hosts and edges, and why: what `lockstep clock` tells people.
// Pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "clocksync/solve/graph_solver.h"

namespace lockstep::analysis {

// NotKnown: nothing speaks against it, but the run was too short to tell how well it was probed.
enum class Grade : uint8_t { Good, NotKnown, Usable, Bad };
constexpr const char* kGradeNames[] = {"good", "not known", "usable", "bad"};

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

// To this grade at best, for one more reason.
void lower(Graded* graded, Grade grade, const std::string& reason);

// How good an offset is, for people. Good: the guaranteed half-width is at most 20 us and nothing
// contradicts it. Usable: at most 1 ms, or something to know about it. Bad: the rest.
Graded grade_host(const clocksync::ClockModel& model, const HostView& host);
Graded grade_edge(const clocksync::EdgeReport& edge);

}  // namespace lockstep::analysis
