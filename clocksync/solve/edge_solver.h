// One pair of hosts over the whole run: from one-sided observations to an interval at every
// instant.
//
// The Taylor hull (taylor_hull.h) is solved on a grid (0.25 s); between two grid instants both ends
// are interpolated and widened by D h^2 / 8, the farthest a curve of that curvature leaves its
// chord. Where the observations contradict each other, first D is raised by 3 up to 1000 ns/s^2
// (the result says so: assumption_relaxed), then the series is split: a clock step. Steps too small
// to be a contradiction are looked for as a jump between the answer from the past only and from the
// future only. Around a split the interval holds both sides' answers; nothing is interpolated
// across.
//
// Pure computation for offline use (analysis, tests, bench), any thread, no clocks, no files.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "clocksync/solve/taylor_hull.h"
#include "lockstep/clock_record.h"

namespace lockstep::clocksync {

// What is known about theta = clock of b - clock of a, x on a's clock. docs/clock.md draws which
// way each packet counts.
struct EdgeBounds {
  std::vector<OffsetBound> upper, lower;

  // A packet from a to b, recorded by b: sent at x, so theta(x) <= delta.
  void add_a_to_b(const HullPoint& p) {
    upper.push_back({p.tx_raw_ns, p.delta_ns + int64_t(p.uncertainty_ns)});
  }
  // A packet from b to a, recorded by a: received at x, so theta(x) >= -delta.
  void add_b_to_a(const HullPoint& p) {
    lower.push_back({p.tx_raw_ns + p.delta_ns, -p.delta_ns - int64_t(p.uncertainty_ns)});
  }
};

struct EdgeOptions {
  TaylorLimits limits;
  int64_t grid_ns = 250'000'000;
  // False: steps are looked for only where the observations around some instant contradict each other, which takes a
  // quarter of the work. Those that are no contradiction go unseen: an answer beside one may be off by as much as the
  // clock stepped, which is less than the intervals around it are wide.
  bool suspects_steps = true;
  // The instants of a's clock to answer for, besides those between the first and last observation.
  std::optional<int64_t> from_raw_ns, to_raw_ns;
};

// Between from and to one of the two clocks stepped (or the declared D is far too small there).
struct EdgeBreak {
  int64_t from_raw_ns = 0, to_raw_ns = 0;
  int64_t jump_ns = 0;  // estimate
  bool proved = false;  // false: suspected from a jump of the estimate inside the interval
};

class EdgeModel {
 public:
  class Chord;
  EdgeModel() = default;  // answers nothing
  static EdgeModel solve(EdgeBounds bounds, const EdgeOptions& options);

  // Nothing: outside the time solved for, or no answer there (one direction is missing).
  std::optional<OffsetInterval> at(int64_t t_raw_ns) const;

  // The chord that at() goes by at this instant, for who asks for others near it; one of no instant where at() answers
  // nothing or goes by several.
  Chord chord_at(int64_t t_raw_ns) const;

  // Of at(): at every instant from from_raw_ns() to to_raw_ns().
  bool answers_everywhere() const { return complete_; }

  int64_t from_raw_ns() const { return from_ns_; }
  int64_t to_raw_ns() const { return to_ns_; }
  double d_ns_s2() const { return limits_.d_ns_s2; }
  bool assumption_relaxed() const { return relaxed_; }
  const std::vector<EdgeBreak>& breaks() const { return breaks_; }
  // The smallest width over the run: what the path's fastest round trip allows.
  int64_t floor_width_ns() const { return floor_width_ns_; }

 private:
  // One stretch between breaks; its answers reach into the breaks around it.
  struct Piece {
    int64_t first_ns = 0, last_ns = 0;
    std::vector<std::optional<OffsetInterval>> knots;  // every grid_ns_ from first_ns
  };
  struct Jump;

  explicit EdgeModel(const EdgeOptions& options)
      : limits_(options.limits), grid_ns_(options.grid_ns) {}
  std::optional<EdgeBreak> first_break(const EdgeBounds& bounds, int64_t begin_ns);
  std::optional<int64_t> clearest_step(const TaylorHull& hull, int64_t t_raw_ns) const;
  bool relax(TaylorHull* hull, int64_t t_raw_ns);
  EdgeBreak locate(const TaylorHull& hull, int64_t t_raw_ns) const;
  std::optional<EdgeBreak> first_suspect(const std::vector<Jump>& jumps) const;
  bool solve_unsplit(const EdgeBounds& bounds);
  void find_breaks(const EdgeBounds& bounds, int64_t first_ns);
  void add_piece(const EdgeBounds& bounds, int64_t first_ns, int64_t last_ns);
  void add_knot(Piece* piece, const std::optional<OffsetInterval>& knot);
  void find_bulge();
  Chord chord_of(const Piece& piece, int64_t t_raw_ns) const;

  TaylorLimits limits_;
  int64_t grid_ns_ = 250'000'000;
  int64_t bulge_ns_ = 0;  // the farthest from a chord between two knots
  int64_t from_ns_ = 0, to_ns_ = -1;
  int64_t floor_width_ns_ = 0;
  bool relaxed_ = false, complete_ = false;
  std::vector<Piece> pieces_;
  std::vector<EdgeBreak> breaks_;
};

// Between two instants of the grid both ends of the interval are interpolated. Inlined: a GPU's clock asks seven times for
// each stamp, mostly for one end.
class EdgeModel::Chord {
 public:
  Chord() = default;
  bool has(int64_t t_raw_ns) const { return t_raw_ns >= first_ns_ && t_raw_ns < end_ns_; }
  OffsetInterval at(int64_t t_raw_ns) const {
    const double fraction = double(t_raw_ns - first_ns_) / grid_ns_;
    return {interpolate(left_.lo_ns, right_.lo_ns, fraction) - bulge_ns_,
            interpolate(left_.hi_ns, right_.hi_ns, fraction) + bulge_ns_ + 1};
  }

 private:
  friend class EdgeModel;
  // Rounds down, without a call.
  static int64_t interpolate(int64_t a, int64_t b, double fraction) {
    const double exact = double(b - a) * fraction;
    const auto whole = int64_t(exact);
    return a + whole - (double(whole) > exact ? 1 : 0);
  }

  int64_t first_ns_ = 0, end_ns_ = 0;
  double grid_ns_ = 1;
  OffsetInterval left_{}, right_{};
  int64_t bulge_ns_ = 0;
};

}  // namespace lockstep::clocksync
