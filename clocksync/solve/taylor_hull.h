// The offset between two clocks at one instant, from one-sided observations only.
//
// theta(x) = clock of b - clock of a, x on a's clock. With |theta''| <= D and |theta'| <= Q, at
// any t
//     |theta(x) - theta(t) - theta'(t) (x-t)| <= D (x-t)^2 / 2,
// so with p = theta(t), q = theta'(t) every observation is a linear constraint:
//     upper point (x,y), theta(x) <= y:   p + q (x-t) <= y + D (x-t)^2 / 2
//     lower point (x,y), theta(x) >= y:   p + q (x-t) >= y - D (x-t)^2 / 2
// and hi = max p, lo = min p: a linear program in two variables whose answer is a guarantee. The
// estimate is the midpoint (the minimax choice). Source: derived for this project; the line model
// without D is Moon, Skelly, Towsley (1999) and Zhang, Liu, Xia (2002).
//
// Solved by an active set: constraints are added only when violated, so that at every moment the
// answer is an outer bound; leaving constraints out, for speed or by a limit, only widens it. The one
// violated most is always a corner of the constraints' convex hull, so only those are looked at.
// Pure computation: one thread at a time per object, no clocks, no files.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace lockstep::clocksync {

// One observation: theta <= offset_ns (upper) or theta >= offset_ns (lower) at x_raw_ns on a's
// clock; docs/clock.md draws which packet gives which.
struct OffsetBound {
  int64_t x_raw_ns = 0;
  int64_t offset_ns = 0;
};

struct TaylorLimits {
  double d_ns_s2 = 100;        // D: the largest change of frequency
  double max_slope_ppm = 400;  // Q: two clocks that may each be wrong by 200 ppm
};

// Guaranteed: lo_ns <= theta <= hi_ns, under the limits.
struct OffsetInterval {
  int64_t lo_ns = 0, hi_ns = 0;
  int64_t estimate_ns() const { return lo_ns + (hi_ns - lo_ns) / 2; }
  int64_t width_ns() const { return hi_ns - lo_ns; }
};

class TaylorHull {
 public:
  // Points sorted by x. Offsets are kept relative to the first upper point, so that doubles are
  // exact to far below 1 ns as long as theta moves by less than days.
  TaylorHull(const std::vector<OffsetBound>& upper, const std::vector<OffsetBound>& lower,
             const TaylorLimits& limits);

  // Nothing: the observations contradict each other under the limits (or one side has none).
  std::optional<OffsetInterval> at(int64_t t_raw_ns) const;
  // The same from the observations with from <= x <= to only.
  std::optional<OffsetInterval> at_from(int64_t t_raw_ns, int64_t from_raw_ns,
                                        int64_t to_raw_ns) const;
  // False when the observations with from <= x <= to contradict each other, whatever they leave
  // open.
  bool consistent(int64_t t_raw_ns, int64_t from_raw_ns, int64_t to_raw_ns) const;

  void set_d_ns_s2(double d) { limits_.d_ns_s2 = d; }

 private:
  struct Side {
    std::vector<double> x_s, y_ns;
    double largest_ns = 0;  // of y_ns, without its sign
  };
  struct Range {
    size_t begin = 0, end = 0;
  };
  // Both ends of an answer, each as a line through it.
  struct Ends {
    double hi_ns = 0, hi_q = 0, lo_ns = 0, lo_q = 0;
    double t_s = 0;
    Ends at(double other_s) const {
      const double u = other_s - t_s;
      return {hi_ns + hi_q * u, hi_q, lo_ns + lo_q * u, lo_q, other_s};
    }
  };
  struct Work;

  Range between(const Side& side, int64_t from_raw_ns, int64_t to_raw_ns) const;
  Range near(const Side& side, double t_s) const;
  // `near`: an answer not far from here, if there is one, to begin with; then this one. May be null.
  std::optional<OffsetInterval> solve(double t_s, Range upper, Range lower,
                                      std::optional<Ends>* near) const;
  // A side's constraints at t that can be the one violated most, as (x - t, value), mirrored for
  // sign -1: the lower hull of them, and what rounding could take for a part of it.
  std::vector<std::pair<double, double>> hull_of(const Side& side, Range range, double t_s,
                                                 double sign) const;

  TaylorLimits limits_;
  int64_t x0_ns_ = 0, y0_ns_ = 0;
  Side upper_, lower_;
  mutable std::optional<Ends> last_;  // at()'s
};

}  // namespace lockstep::clocksync
