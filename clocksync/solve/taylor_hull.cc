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
// Rounding may err by a few 1e-16 of the largest number in a sum; what it could decide is kept.
constexpr double kRoundingShare = 1e-13;

// Constraints at instant t: value - q * u bounds p.
using Line = std::pair<double, double>;  // (u, value)
using Lines = std::vector<Line>;

// Whether the middle one is above the chord of its neighbours by more than the margin, so that whatever
// line is subtracted from all of them, one of the neighbours stays farther below.
bool is_idle(const Line& a, const Line& middle, const Line& b, double margin_ns) {
  const double whole = b.first - a.first;
  return (middle.second - a.second - margin_ns) * whole >
         (b.second - a.second) * (middle.first - a.first);
}

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

// Of a hull's constraints the one that leaves p + q u least room, or violates it most; lines.size(): all leave more than
// `most_ns`. What is left of a constraint falls along the hull and then rises; where rounding makes that not quite so, the
// lowest is near.
size_t worst_of(const Lines& lines, double sign, double p, double q, double most_ns) {
  constexpr size_t kNearby = 4;
  const auto room = [&](size_t i) { return lines[i].second - sign * (p + q * lines[i].first); };
  size_t low = 0, high = lines.size() - 1;
  while (high - low > 2 * kNearby) {
    const size_t middle = low + (high - low) / 2;
    if (room(middle + 1) < room(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const size_t end = std::min(high + kNearby + 1, lines.size());
  double worst = most_ns;
  size_t at = lines.size();
  for (size_t i = low - std::min(low, kNearby); i < end; ++i) {
    if (room(i) < worst) worst = room(i), at = i;
  }
  return at;
}

}  // namespace

struct TaylorHull::Work {
  // Lower points are kept mirrored (-u, -value), so that both sides climb.
  Lines upper, mirrored_lower;
  double q_lo, q_hi;
  Ends ends;

  // A new upper and each lower line meet at a slope that q may not pass; and the other way round.
  void bound_q(Line up, Line mirrored) {
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
  // sign 1: p + q u <= value, a constraint from above; sign -1: p + q u >= value.
  void add(double sign, double u_s, double value_ns) {
    if (sign > 0) {
      upper.emplace_back(u_s, value_ns);
      for (const auto& mirrored : mirrored_lower) bound_q(upper.back(), mirrored);
    } else {
      mirrored_lower.emplace_back(-u_s, -value_ns);
      for (const auto& up : upper) bound_q(up, mirrored_lower.back());
    }
  }
  // Of one side's constraints those that leave either end least room; false when all leave more than `most_ns`.
  bool add_tightest(const Lines& lines, double sign, const Ends& of, double most_ns);
  bool solve() {
    if (q_lo > q_hi) return false;
    std::tie(ends.hi_ns, ends.hi_q) = climb(upper, q_lo, q_hi);
    std::tie(ends.lo_ns, ends.lo_q) = climb(mirrored_lower, q_lo, q_hi);
    ends.lo_ns = -ends.lo_ns;
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
      side->largest_ns = std::max(side->largest_ns, std::fabs(side->y_ns.back()));
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
  return solve(t_s, near(upper_, t_s), near(lower_, t_s), &last_);
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
               between(lower_, from_raw_ns, to_raw_ns), nullptr);
}

bool TaylorHull::consistent(int64_t t_raw_ns, int64_t from_raw_ns, int64_t to_raw_ns) const {
  const Range upper = between(upper_, from_raw_ns, to_raw_ns);
  const Range lower = between(lower_, from_raw_ns, to_raw_ns);
  if (upper.begin >= upper.end || lower.begin >= lower.end) return true;
  return solve(double(t_raw_ns - x0_ns_) * 1e-9, upper, lower, nullptr).has_value();
}

std::vector<std::pair<double, double>> TaylorHull::hull_of(const Side& side, Range range,
                                                           double t_s, double sign) const {
  const double half_d = limits_.d_ns_s2 / 2;
  const double far_s =
      std::max(std::fabs(side.x_s[range.begin] - t_s), std::fabs(side.x_s[range.end - 1] - t_s));
  const double margin_ns = kRoundingShare * (side.largest_ns + half_d * far_s * far_s +
                                             limits_.max_slope_ppm * 1e3 * far_s);
  Lines hull(range.end - range.begin);
  Line* end = hull.data();
  for (size_t i = range.begin; i < range.end; ++i) {
    const double u = side.x_s[i] - t_s;
    const Line line(u, sign * side.y_ns[i] + half_d * u * u);
    while (end - hull.data() >= 2 && is_idle(end[-2], end[-1], line, margin_ns)) --end;
    *end++ = line;
  }
  hull.resize(size_t(end - hull.data()));
  return hull;
}

bool TaylorHull::Work::add_tightest(const Lines& lines, double sign, const Ends& of,
                                    double most_ns) {
  const size_t at_hi = worst_of(lines, sign, of.hi_ns, of.hi_q, most_ns),
               at_lo = worst_of(lines, sign, of.lo_ns, of.lo_q, most_ns);
  bool added = false;
  for (const size_t i : {at_hi, at_lo == at_hi ? lines.size() : at_lo}) {
    if (i == lines.size()) continue;
    add(sign, lines[i].first, sign * lines[i].second);
    added = true;
  }
  return added;
}

std::optional<OffsetInterval> TaylorHull::solve(double t_s, Range upper, Range lower,
                                                std::optional<Ends>* near) const {
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
  const Lines above = hull_of(upper_, upper, t_s, 1), below = hull_of(lower_, lower, t_s, -1);
  // Most of the constraints that decided there decide here.
  if (near != nullptr && *near) {
    constexpr double kAny = std::numeric_limits<double>::infinity();
    const Ends moved = (*near)->at(t_s);
    work.add_tightest(above, 1, moved, kAny);
    work.add_tightest(below, -1, moved, kAny);
  }
  for (int round = 0; round < kMaxRounds; ++round) {
    if (!work.solve()) return std::nullopt;
    const bool added_above = work.add_tightest(above, 1, work.ends, -kToleranceNs);
    if (!work.add_tightest(below, -1, work.ends, -kToleranceNs) && !added_above) break;
  }
  work.ends.t_s = t_s;
  if (near != nullptr) *near = work.ends;
  return OffsetInterval{y0_ns_ + int64_t(std::floor(work.ends.lo_ns)),
                        y0_ns_ + int64_t(std::ceil(work.ends.hi_ns))};
}

}  // namespace lockstep::clocksync
