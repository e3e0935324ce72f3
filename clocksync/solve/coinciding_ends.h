// Where between its bounds an offset probably lies of which only collectives tell.
//
// The bounds are as wide as a collective takes from its last call to its first end: its middle is off by milliseconds
// where ranks send on what they received. But an operation ends nearly at once on all of its ranks. On real NCCL a
// collective's ends on two ranks are 0.1 ms apart where it takes 10 ms to 70 ms (docs/measured/clock.md). Of a send, a
// broadcast or a reduction the receiver ends later, sometimes by much, since it may be busy; so of each tenth of a second
// the pair counts that ended closest together. A line through a few seconds leaves out what disturbs single operations.
// It is an estimate and no bound. Offline, one thread; time is linear in the operations.
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
  // After the last add(). No line runs across one of `breaks`.
  void fit(const std::vector<EdgeBreak>& breaks);

  struct Estimate {
    int64_t offset_ns = 0;
    int64_t spread_ns = 0;  // median distance of the operations from their line
  };
  // By the line nearest to this instant of a's clock; nothing where there are no operations. After fit().
  std::optional<Estimate> at(int64_t a_ns) const;

 private:
  struct Point {
    int64_t x_ns, offset_ns;
  };
  struct Bin {
    std::vector<Point> either;
    std::optional<Point> of_a, of_b;
  };
  struct Line {
    int64_t first_ns = 0, last_ns = 0;  // its operations
    int64_t x_ns = 0;                   // where it has this offset
    double offset_ns = 0, slope = 0, spread_ns = 0;
  };
  std::vector<Point> points();
  static Line line_through(std::vector<Point> points);

  std::map<int64_t, Bin> bins_;
  std::vector<Line> lines_;  // in order
};

}  // namespace lockstep::clocksync
