#include "test/drivers/clockcheck/packet_limits.h"

#include <algorithm>

namespace lockstep::clockcheck {
namespace {

// The closest packets bind best; farther than this the solver itself looks only in need.
constexpr int64_t kNearNs = 1'000'000'000;
constexpr int64_t kFarNs = 5'000'000'000;

}  // namespace

PacketLimits::Side PacketLimits::side(const std::vector<clocksync::OffsetBound>& points,
                                      const Truth& truth, int sign) {
  Side side;
  for (const clocksync::OffsetBound& point : points) {
    const int64_t e_ns = sign * (point.offset_ns - truth(point.x_raw_ns));
    side.packets.push_back({point.x_raw_ns, e_ns});
    side.least_ns = std::min(side.least_ns, e_ns);
  }
  std::sort(side.packets.begin(), side.packets.end(),
            [](const Open& a, const Open& b) { return a.x_raw_ns < b.x_raw_ns; });
  return side;
}

PacketLimits::PacketLimits(const clocksync::EdgeBounds& bounds, const Truth& truth, double d_ns_s2)
    : d_ns_s2_(d_ns_s2),
      above_(side(bounds.upper, truth, 1)),
      below_(side(bounds.lower, truth, -1)) {}

std::optional<double> PacketLimits::best_pair_ns(const Side& side, int64_t t_raw_ns,
                                                 int64_t reach_ns) const {
  const auto at = [&side](int64_t x_raw_ns) {
    return std::lower_bound(side.packets.begin(), side.packets.end(), x_raw_ns,
                            [](const Open& one, int64_t x) { return one.x_raw_ns < x; });
  };
  const auto first = at(t_raw_ns - reach_ns), here = at(t_raw_ns), last = at(t_raw_ns + reach_ns);
  std::optional<double> best_ns;
  for (auto left = first; left != here; ++left) {
    for (auto right = here; right != last; ++right) {
      const double before_s = 1e-9 * static_cast<double>(t_raw_ns - left->x_raw_ns);
      const double after_s = 1e-9 * static_cast<double>(right->x_raw_ns - t_raw_ns);
      const double line_ns = (static_cast<double>(left->e_ns) * after_s +
                              static_cast<double>(right->e_ns) * before_s) /
                             (before_s + after_s);
      const double most_ns = line_ns + d_ns_s2_ * before_s * after_s;
      if (!best_ns || most_ns < *best_ns) best_ns = most_ns;
    }
  }
  return best_ns;
}

std::optional<PacketLimits::Room> PacketLimits::room(const Side& side, int64_t t_raw_ns) const {
  std::optional<double> most_ns = best_pair_ns(side, t_raw_ns, kNearNs);
  if (!most_ns) most_ns = best_pair_ns(side, t_raw_ns, kFarNs);
  if (!most_ns) return std::nullopt;
  return Room{static_cast<double>(side.least_ns), *most_ns};
}

}  // namespace lockstep::clockcheck
