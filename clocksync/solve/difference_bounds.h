// Guaranteed bounds between any two hosts from guaranteed bounds along edges, at one instant.
//
// Each directed bound says x_to - x_from <= upper. The tightest bound that they imply for a pair is
// the shortest path between the two (difference constraints; Bellman-Ford, then Dijkstra with
// potentials as in Johnson's algorithm). A negative cycle proves that at least one of its bounds is
// false; it is reported, never averaged away. Pure computation.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::clocksync {

struct DifferenceBound {
  uint32_t from = 0, to = 0;
  double upper_ns = 0;  // x_to - x_from <= upper_ns
};

class DifferenceBounds {
 public:
  DifferenceBounds(uint32_t hosts, std::vector<DifferenceBound> bounds);

  // Moves `x` (an estimate per host) to satisfy every bound, changing as little as the bounds
  // force; it then serves from() and to() as potential. Returns the indices of the bounds on a
  // negative cycle when there is one; x is then unusable.
  std::vector<uint32_t> project(std::vector<double>* x) const;

  // The largest possible x_h - x_source for every h; infinity where nothing is known. `x` comes
  // from a project() that found no cycle.
  std::vector<double> from(uint32_t source, const std::vector<double>& x) const;
  // The largest possible x_target - x_h for every h.
  std::vector<double> to(uint32_t target, const std::vector<double>& x) const;

 private:
  struct Adjacency {
    std::vector<uint32_t> begin, bound;
  };
  std::vector<double> shortest(uint32_t source, const std::vector<double>& x, const Adjacency& next,
                               double sign) const;

  uint32_t hosts_;
  std::vector<DifferenceBound> bounds_;
  Adjacency out_, in_;
};

}  // namespace lockstep::clocksync
