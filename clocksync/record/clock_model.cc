#include "clocksync/record/clock_model.h"

#include <algorithm>
#include <cmath>

namespace lockstep::clocksync {
namespace {

constexpr const char* kSourceNames[] = {"same-host", "probes", "collectives", "none"};

int64_t slope_slack_ns(double max_slope_ppm, int64_t distance_ns) {
  return int64_t(std::ceil(max_slope_ppm * 1e-6 * std::fabs(double(distance_ns))));
}

int64_t between(int64_t left, int64_t right, double fraction) {
  return left + std::llround(double(right - left) * fraction);
}

GlobalTime global(int64_t local_ns, const ClockKnot& theta) {
  return {local_ns - theta.theta_ns, local_ns - theta.hi_ns, local_ns - theta.lo_ns};
}

// One end of the run or one side of a step, carried over to local_ns.
ClockKnot carry(const ClockKnot& knot, int64_t local_ns, double max_slope_ppm) {
  const int64_t slack_ns = slope_slack_ns(max_slope_ppm, local_ns - knot.local_raw_ns);
  ClockKnot carried = knot;
  carried.lo_ns -= slack_ns;
  carried.hi_ns += slack_ns;
  return carried;
}

}  // namespace

const char* to_string(OffsetSource source) { return kSourceNames[size_t(source)]; }

const HostModel* ClockModel::find(const std::string& host) const {
  const auto at = std::lower_bound(
      hosts.begin(), hosts.end(), host,
      [](const HostModel& model, const std::string& name) { return model.host < name; });
  return at != hosts.end() && at->host == host ? &*at : nullptr;
}

std::optional<GlobalTime> ClockModel::to_global(const HostModel& host, int64_t local_raw_ns) const {
  const std::vector<ClockKnot>& knots = host.knots;
  // Containers of one machine read one clock, and the reference's is the timeline: what is known of it at one instant
  // holds at every other.
  const bool is_fixed = host.source == OffsetSource::SameHost || host.host == reference;
  const double slope_ppm = is_fixed ? 0 : max_slope_ppm;
  if (knots.empty() || hosts[host.component].host != reference) return std::nullopt;
  const auto right =
      std::upper_bound(knots.begin(), knots.end(), local_raw_ns,
                       [](int64_t ns, const ClockKnot& knot) { return ns < knot.local_raw_ns; });
  if (right == knots.begin() || right == knots.end()) {
    const ClockKnot& end = right == knots.begin() ? knots.front() : knots.back();
    ClockKnot carried = carry(end, local_raw_ns, slope_ppm);
    if (knots.size() > 1) {
      // The estimate keeps the slope of the run's end.
      const ClockKnot& a = right == knots.begin() ? knots[0] : knots[knots.size() - 2];
      const ClockKnot& b = right == knots.begin() ? knots[1] : knots.back();
      const double slope =
          double(b.theta_ns - a.theta_ns) / double(b.local_raw_ns - a.local_raw_ns);
      carried.theta_ns += std::llround(slope * double(local_raw_ns - end.local_raw_ns));
      carried.theta_ns = std::clamp(carried.theta_ns, carried.lo_ns, carried.hi_ns);
    }
    return global(local_raw_ns, carried);
  }
  const ClockKnot& left = *(right - 1);
  const double fraction =
      double(local_raw_ns - left.local_raw_ns) / double(right->local_raw_ns - left.local_raw_ns);
  ClockKnot theta;
  if (left.step_after) {
    const ClockKnot before = carry(left, local_raw_ns, slope_ppm);
    const ClockKnot after = carry(*right, local_raw_ns, slope_ppm);
    theta.lo_ns = std::min(before.lo_ns, after.lo_ns);
    theta.hi_ns = std::max(before.hi_ns, after.hi_ns);
    theta.theta_ns = between(left.theta_ns, right->theta_ns, fraction);
  } else {
    theta.lo_ns = between(left.lo_ns, right->lo_ns, fraction) - 1;
    theta.hi_ns = between(left.hi_ns, right->hi_ns, fraction) + 1;
    theta.theta_ns = between(left.theta_ns, right->theta_ns, fraction);
  }
  return global(local_raw_ns, theta);
}

}  // namespace lockstep::clocksync
