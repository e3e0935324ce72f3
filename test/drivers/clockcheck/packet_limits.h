// What the recorded packets of a pair of hosts allow a solver to say, given the truth. The hosts'
// clocks are known here, so every packet's own delay is known, and with it how narrow the interval
// must be and how narrow it cannot honestly be at each instant. Judging the solver by that judges
// the method: a busy machine delays packets, and the limits move along. Pure arithmetic.
//
// For packets from a to b at x, theta(x) <= y, let e = y - theta(x) >= 0 be what the packet leaves
// open. With |theta''| <= D:
//   - two such packets at x1 <= t <= x2 prove hi(t) - theta(t) <= the line through e1 and e2 at t
//     + D (t - x1) (x2 - t), so the interval must reach no farther than the best pair says;
//   - theta's tangent at t, raised by the smallest e of all, satisfies every packet, so
//     hi(t) - theta(t) is at least that.
// The same holds downwards for packets from b to a. Of the middle of the interval it follows that
// it errs by at most half of what the two directions' best packets differ by.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "clocksync/solve/edge_solver.h"

namespace lockstep::clockcheck {

// theta: clock of b - clock of a when a shows x.
using Truth = std::function<int64_t(int64_t x_raw_ns)>;

class PacketLimits {
 public:
  PacketLimits(const clocksync::EdgeBounds& bounds, const Truth& truth, double d_ns_s2);

  // How far the ends of the interval at t may lie from the truth. Nothing: too few packets around
  // t.
  struct Room {
    double least_ns = 0, most_ns = 0;
  };
  std::optional<Room> above(int64_t t_raw_ns) const { return room(above_, t_raw_ns); }
  std::optional<Room> below(int64_t t_raw_ns) const { return room(below_, t_raw_ns); }

  // The fastest packet's delay, uncertainty included.
  int64_t fastest_a_to_b_ns() const { return above_.least_ns; }
  int64_t fastest_b_to_a_ns() const { return below_.least_ns; }

 private:
  struct Open {
    int64_t x_raw_ns, e_ns;
  };
  struct Side {
    std::vector<Open> packets;  // by x
    int64_t least_ns = INT64_MAX;
  };

  static Side side(const std::vector<clocksync::OffsetBound>& points, const Truth& truth, int sign);
  std::optional<Room> room(const Side& side, int64_t t_raw_ns) const;
  std::optional<double> best_pair_ns(const Side& side, int64_t t_raw_ns, int64_t reach_ns) const;

  const double d_ns_s2_;
  const Side above_, below_;
};

}  // namespace lockstep::clockcheck
