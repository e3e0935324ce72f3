// Where between its bounds an offset probably lies of which only collectives tell.
//
// The bounds are as wide as a collective takes from its last call to its first end: its middle is off by milliseconds
// where ranks send on what they received. But an operation ends nearly at once on all of its ranks. On real NCCL a
// collective's ends on two ranks are 0.1 ms apart where it takes 10 ms to 70 ms (docs/measured/clock.md). Of a send, a
// broadcast or a reduction the receiver ends later, sometimes by much, since it may be busy; so of each tenth of a second
// the pair counts that ended closest together. Medians of two seconds leave out what disturbs single operations; between
// them the offset goes straight. It is an estimate and no bound. Offline, one thread; time is linear in the operations.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "clocksync/solve/edge_solver.h"

namespace lockstep::clocksync {

// Which of the two hosts could end later because it waited for the other.
enum class LaterEnd : uint8_t { Either, OfA, OfB };

// Of a pair of hosts: theta = clock of b - clock of a, as in EdgeModel.
class CoincidingEnds {
 public:
  // One operation ended at a_ns on the clock of a and at b_ns on that of b.
  void add(LaterEnd later, int64_t a_ns, int64_t b_ns);
  // After the last add(). Nothing is read across one of `breaks`. Nothing is told where ends scatter by a large part
  // of `narrowest_ns`, the narrowest interval between the bounds: then its middle is as good.
  void fit(const std::vector<EdgeBreak>& breaks, double max_slope_ppm, int64_t narrowest_ns);

  struct Estimate {
    int64_t offset_ns = 0;
    int64_t spread_ns = 0;  // median distance of operations from their median
  };
  // At this instant of a's clock; nothing where there are no operations. After fit().
  std::optional<Estimate> at(int64_t a_ns) const;

 private:
  struct Point {
    int64_t x_ns, offset_ns;
  };
  struct Bin {
    std::vector<Point> either;
    std::optional<Point> of_a, of_b;
  };
  // The middle of some operations.
  struct Median {
    int64_t first_ns = 0, last_ns = 0, x_ns = 0;
    int64_t offset_ns = 0, spread_ns = 0;
    size_t piece = 0;  // between two breaks
  };
  std::vector<Point> points();
  void add_medians(const std::vector<Point>& points, size_t piece);
  double slope(const Median& from, const Median& to) const;

  std::map<int64_t, Bin> bins_;
  std::vector<Median> medians_;  // in order
  double max_slope_ppm_ = 0;
};

}  // namespace lockstep::clocksync
