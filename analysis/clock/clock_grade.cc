#include "analysis/clock/clock_grade.h"

namespace lockstep::analysis {
namespace {

using clocksync::OffsetSource;

constexpr int64_t kGoodHalfWidthNs = 20'000;
constexpr int64_t kUsableHalfWidthNs = 1'000'000;

void judge_width(Graded* graded, int64_t half_width_ns) {
  if (half_width_ns > kUsableHalfWidthNs) {
    lower(graded, Grade::Bad, "guaranteed only to more than 1 ms");
  } else if (half_width_ns > kGoodHalfWidthNs) {
    lower(graded, Grade::Usable, "guaranteed only to more than 20 us");
  }
}

}  // namespace

void lower(Graded* graded, Grade grade, const std::string& reason) {
  graded->grade = std::max(graded->grade, grade);
  graded->reason += (graded->reason.empty() ? "" : "; ") + reason;
}

Graded grade_host(const clocksync::ClockModel& model, const HostView& host) {
  Graded graded;
  if (!host.connected) {
    lower(&graded, Grade::Bad, "nothing connects its clock with " + model.reference);
    return graded;
  }
  if (host.host == model.reference) return graded;
  judge_width(&graded, host.half_width_ns);
  if (host.source == OffsetSource::Collectives) {
    lower(&graded, Grade::Usable, "known from collectives only");
  }
  const clocksync::HostModel* found = model.find(host.host);
  if (found != nullptr && found->weak) {
    lower(&graded, Grade::Usable, "most of its edges disagree with the other hosts");
  }
  size_t steps = 0;
  for (size_t k = 0; found != nullptr && k < found->knots.size(); ++k) {
    steps += found->knots[k].step_after && (k == 0 || !found->knots[k - 1].step_after);
  }
  if (steps != 0)
    lower(&graded, Grade::Usable, "a clock stepped " + std::to_string(steps) + " times");
  return graded;
}

Graded grade_edge(const clocksync::EdgeReport& edge) {
  Graded graded;
  if (edge.source == OffsetSource::SameHost) return graded;
  if (edge.floor_width_ns == 0) {
    lower(&graded, Grade::Bad, "no packets in one direction");
    return graded;
  }
  judge_width(&graded, edge.width_ns / 2);
  if (edge.source == OffsetSource::Collectives) {
    lower(&graded, Grade::Usable, "known from collectives only");
  }
  if (edge.asymmetric_path)
    lower(&graded, Grade::Usable, "disagrees with the other hosts: asymmetric path");
  if (edge.assumption_relaxed) {
    lower(&graded, Grade::Usable, "the clocks drift faster than declared");
  }
  if (edge.steps_proved != 0) lower(&graded, Grade::Usable, "a clock stepped");
  if (edge.steps_proved == 0 && edge.steps_suspected != 0) {
    lower(&graded, Grade::Usable, "a clock may have stepped");
  }
  return graded;
}

}  // namespace lockstep::analysis
