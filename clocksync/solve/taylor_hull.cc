#include "clocksync/solve/taylor_hull.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace lockstep::clocksync {
namespace {

// Beyond this distance the slack D u^2/2 (1.2 us at D = 100) exceeds what a point can add, unless
// points are scarce: then the nearest kMinNear on either side are taken at any distance.
constexpr double kHorizonS = 5;
constexpr size_t kMinNear = 64;
// Integer stamps: a point may be half a nanosecond off on either clock.
constexpr double kStampRoundingNs = 1;
constexpr double kToleranceNs = 0.01;
constexpr int kMaxRounds = 40;

// Constraints at instant t: value - q * u bounds p.
using Lines = std::vector<std::pair<double, double>>;  // (u, value)

// max over q in [q_lo, q_hi] of min over lines of (value - q u): climbs the concave envelope.
std::pair<double, double> climb(const Lines& lines, double q_lo, double q_hi) {
  double q = q_lo;
  size_t active = 0;
  double best = std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < lines.size(); ++i) {
    const double p = lines[i].second - q * lines[i].first;
    if (p < best || (p == best && lines[i].first > lines[active].first)) {
      best = p;
      active = i;
    }
  }
  while (lines[active].first < 0) {  // the active line rises with q
    double next_q = q_hi;
    size_t next = active;
    for (size_t k = 0; k < lines.size(); ++k) {
      const double du = lines[k].first - lines[active].first;
      if (du <= 0) continue;
      const double crossing = (lines[k].second - lines[active].second) / du;
      if (crossing < next_q ||
          (crossing == next_q && next != active && lines[k].first > lines[next].first)) {
        next_q = crossing;
        next = k;
      }
    }
    q = std::max(q, next_q);
    if (next == active) break;
    active = next;
  }
  return {lines[active].second - q * lines[active].first, q};
}

}  // namespace

struct TaylorHull::Work {
  // Lower points are kept mirrored (-u, -value), so that both sides climb.
  Lines upper, mirrored_lower;
  double q_lo, q_hi;
  double hi_ns = 0, hi_q = 0, lo_ns = 0, lo_q = 0;

  // A new upper and each lower line meet at a slope that q may not pass; and the other way round.
  void bound_q(std::pair<double, double> up, std::pair<double, double> mirrored) {
    const double du = up.first + mirrored.first;
    const double gap = up.second + mirrored.second;  // q * du <= gap
    if (du > 0) {
      q_hi = std::min(q_hi, gap / du);
    } else if (du < 0) {
      q_lo = std::max(q_lo, gap / du);
    } else if (gap < 0) {
      q_hi = -std::numeric_limits<double>::infinity();
    }
  }
  // sign 1: p + q u <= value; sign -1: p + q u >= value.
  void add(double sign, double u_s, double value_ns) {
    if (sign > 0) {
      upper.emplace_back(u_s, value_ns);
      for (const auto& mirrored : mirrored_lower) bound_q(upper.back(), mirrored);
    } else {
      mirrored_lower.emplace_back(-u_s, -value_ns);
      for (const auto& up : upper) bound_q(up, mirrored_lower.back());
    }
  }
  bool solve() {
    if (q_lo > q_hi) return false;
    std::tie(hi_ns, hi_q) = climb(upper, q_lo, q_hi);
    std::tie(lo_ns, lo_q) = climb(mirrored_lower, q_lo, q_hi);
    lo_ns = -lo_ns;
    return true;
  }
};

TaylorHull::TaylorHull(const std::vector<OffsetBound>& upper, const std::vector<OffsetBound>& lower,
                       const TaylorLimits& limits)
    : limits_(limits) {
  if (!upper.empty()) {
    x0_ns_ = upper.front().x_raw_ns;
    y0_ns_ = upper.front().offset_ns;
  }
  const auto fill = [this](const std::vector<OffsetBound>& points, double slack_ns, Side* side) {
    side->x_s.reserve(points.size());
    side->y_ns.reserve(points.size());
    for (const OffsetBound& p : points) {
      side->x_s.push_back(double(p.x_raw_ns - x0_ns_) * 1e-9);
      side->y_ns.push_back(double(p.offset_ns - y0_ns_) + slack_ns);
    }
  };
  fill(upper, kStampRoundingNs, &upper_);
  fill(lower, -kStampRoundingNs, &lower_);
}

TaylorHull::Range TaylorHull::near(const Side& side, double t_s) const {
  const auto index = [&](double x_s) {
    return size_t(std::lower_bound(side.x_s.begin(), side.x_s.end(), x_s) - side.x_s.begin());
  };
  const size_t here = index(t_s);
  Range range{index(t_s - kHorizonS), index(t_s + kHorizonS)};
  range.begin = std::min(range.begin, here > kMinNear ? here - kMinNear : 0);
  range.end = std::max(range.end, std::min(here + kMinNear, side.x_s.size()));
  return range;
}

std::optional<OffsetInterval> TaylorHull::at(int64_t t_raw_ns) const {
  const double t_s = double(t_raw_ns - x0_ns_) * 1e-9;
  return solve(t_s, near(upper_, t_s), near(lower_, t_s));
}

TaylorHull::Range TaylorHull::between(const Side& side, int64_t from_raw_ns,
                                      int64_t to_raw_ns) const {
  const double from_s = double(from_raw_ns - x0_ns_) * 1e-9;
  const double to_s = double(to_raw_ns - x0_ns_) * 1e-9;
  const auto& x = side.x_s;
  return {size_t(std::lower_bound(x.begin(), x.end(), from_s) - x.begin()),
          size_t(std::upper_bound(x.begin(), x.end(), to_s) - x.begin())};
}

std::optional<OffsetInterval> TaylorHull::at_from(int64_t t_raw_ns, int64_t from_raw_ns,
                                                  int64_t to_raw_ns) const {
  return solve(double(t_raw_ns - x0_ns_) * 1e-9, between(upper_, from_raw_ns, to_raw_ns),
               between(lower_, from_raw_ns, to_raw_ns));
}

bool TaylorHull::consistent(int64_t t_raw_ns, int64_t from_raw_ns, int64_t to_raw_ns) const {
  const Range upper = between(upper_, from_raw_ns, to_raw_ns);
  const Range lower = between(lower_, from_raw_ns, to_raw_ns);
  if (upper.begin >= upper.end || lower.begin >= lower.end) return true;
  return solve(double(t_raw_ns - x0_ns_) * 1e-9, upper, lower).has_value();
}

bool TaylorHull::add_violated(double t_s, Range upper, Range lower, Work* work) const {
  // sign 1: constraints from above on both points; sign -1: the mirrored ones from below.
  const double half_d = limits_.d_ns_s2 / 2;
  bool added = false;
  const auto scan = [&](const Side& side, Range range, double sign) {
    double worst_hi = -kToleranceNs, worst_lo = -kToleranceNs;
    size_t at_hi = range.end, at_lo = range.end;
    for (size_t i = range.begin; i < range.end; ++i) {
      const double u = side.x_s[i] - t_s;
      const double y = sign * side.y_ns[i] + half_d * u * u;
      const double room_hi = y - sign * (work->hi_ns + work->hi_q * u);
      const double room_lo = y - sign * (work->lo_ns + work->lo_q * u);
      if (room_hi < worst_hi) worst_hi = room_hi, at_hi = i;
      if (room_lo < worst_lo) worst_lo = room_lo, at_lo = i;
    }
    for (const size_t i : {at_hi, at_lo == at_hi ? range.end : at_lo}) {
      if (i == range.end) continue;
      const double u = side.x_s[i] - t_s;
      work->add(sign, u, side.y_ns[i] + sign * half_d * u * u);
      added = true;
    }
  };
  scan(upper_, upper, 1);
  scan(lower_, lower, -1);
  return added;
}

std::optional<OffsetInterval> TaylorHull::solve(double t_s, Range upper, Range lower) const {
  if (upper.begin >= upper.end || lower.begin >= lower.end) return std::nullopt;
  Work work;
  work.q_hi = limits_.max_slope_ppm * 1e3;
  work.q_lo = -work.q_hi;
  const double half_d = limits_.d_ns_s2 / 2;
  const auto seed = [&](const Side& side, Range range, double sign) {
    const size_t here =
        size_t(std::lower_bound(side.x_s.begin(), side.x_s.end(), t_s) - side.x_s.begin());
    const size_t i = std::clamp(here, range.begin, range.end - 1);
    const double u = side.x_s[i] - t_s;
    work.add(sign, u, side.y_ns[i] + sign * half_d * u * u);
  };
  seed(upper_, upper, 1);
  seed(lower_, lower, -1);
  for (int round = 0; round < kMaxRounds; ++round) {
    if (!work.solve()) return std::nullopt;
    if (!add_violated(t_s, upper, lower, &work)) break;
  }
  return OffsetInterval{y0_ns_ + int64_t(std::floor(work.lo_ns)),
                        y0_ns_ + int64_t(std::ceil(work.hi_ns))};
}

}  // namespace lockstep::clocksync
