// One timeline for all hosts: for every host the offset of its clock to the reference host's clock,
// as knots over the run. Made by the graph solver, saved beside the segments as clock_model.json,
// used by everything offline that prints a time of more than one host.
//
// theta = clock of the host - clock of the reference (CLOCK_MONOTONIC_RAW of each), so a local
// reading x is x - theta on the reference's clock ("global"). Between knots theta and its bounds
// are linear; the knots' bounds already contain the curvature that the declared D allows in
// between. Across a clock step nothing is interpolated: the interval holds both sides. Outside the
// knots it widens at max_slope_ppm. A host that is not connected with the reference has no global
// time: to_global() says so.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lockstep::clocksync {

// Where an offset comes from. A host is named after the best evidence that alone connects it with
// the reference of its component; a component's own reference, when it is not the timeline, has
// None.
enum class OffsetSource : uint8_t { SameHost = 0, Probes = 1, Collectives = 2, None = 3 };
const char* to_string(OffsetSource source);

struct ClockKnot {
  int64_t local_raw_ns = 0;
  int64_t theta_ns = 0, lo_ns = 0, hi_ns = 0;
  bool step_after = false;  // a clock stepped between this knot and the next
};

struct HostModel {
  std::string host;
  uint32_t component = 0;  // index of the smallest host that this one is connected with
  OffsetSource source = OffsetSource::None;
  bool weak = false;  // half of its edges disagree with the graph
  std::vector<ClockKnot> knots;
};

struct EdgeReport {
  std::string a, b;
  OffsetSource source = OffsetSource::Probes;
  uint64_t upper_points = 0, lower_points = 0;
  int64_t floor_width_ns = 0;  // the narrowest interval of the run
  int64_t width_ns = 0;        // the median width
  double residual_ns = 0;      // median over time: how far it disagrees with the graph
  double d_ns_s2 = 0;
  bool assumption_relaxed = false;
  bool asymmetric_path = false;  // residual beyond 6 MAD
  uint32_t steps_proved = 0, steps_suspected = 0;
  std::string interface = {};  // by which the hosts probed each other; empty: the first of each
};

struct ModelFault {
  std::string kind;  // partition, negative_cycle, clock_step, assumption_relaxed, no_answer
  std::string detail;
};

// A local reading on the reference's clock: surely in [lo_ns, hi_ns] under the declared
// assumptions.
struct GlobalTime {
  int64_t ns = 0, lo_ns = 0, hi_ns = 0;
};

struct ClockModel {
  std::string reference;
  double d_ns_s2 = 100;        // the largest D used for any edge
  double max_slope_ppm = 400;  // between any two clocks
  std::vector<std::string> assumptions;
  std::vector<HostModel> hosts;  // sorted by name
  std::vector<EdgeReport> edges;
  std::vector<ModelFault> faults;

  const HostModel* find(const std::string& host) const;
  std::optional<GlobalTime> to_global(const HostModel& host, int64_t local_raw_ns) const;
};

}  // namespace lockstep::clocksync
