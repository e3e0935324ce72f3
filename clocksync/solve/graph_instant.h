// All hosts at one instant: every edge is evaluated there, the offsets are solved
// (robust_offsets.h), the bounds are closed over the graph (difference_bounds.h). Used by the graph
// solver for each knot and by anyone who asks for one pair at one instant. Pure computation on one
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clocksync/record/clock_model.h"
#include "clocksync/solve/coinciding_ends.h"
#include "clocksync/solve/difference_bounds.h"
#include "clocksync/solve/edge_solver.h"
#include "clocksync/solve/robust_offsets.h"

namespace lockstep::clocksync {

struct GraphEdge {
  uint32_t a = 0, b = 0;
  OffsetSource source = OffsetSource::Probes;
  EdgeModel model;  // of the clock of b against the clock of a; unused for SameHost: exactly 0
  uint64_t upper_points = 0, lower_points = 0;  // for the report
  // What every packet of either direction takes at least, where the user declared how much the
  // directions may differ: both ends of the interval come closer by it.
  int64_t least_delay_ns = 0;
  // Of several edges between two hosts: by which interface; empty: the first of each.
  std::string interface = {};
  CoincidingEnds ends =
      {};  // of Collectives, fitted: where in the model's interval the estimate lies
};

// An answer for one pair of hosts: clock of b - clock of a.
struct PairOffset {
  int64_t estimate_ns = 0, lo_ns = 0, hi_ns = 0;
};

class GraphInstant {
 public:
  // `edges` and `touching` (the edges of each host) must outlive this. `instant_ns` is on the clock
  // of `root`; only hosts connected with it get an answer. `guess_ns` holds the last known offset
  // of each edge and is updated: it only saves iterations.
  GraphInstant(const std::vector<GraphEdge>& edges,
               const std::vector<std::vector<uint32_t>>& touching, uint32_t root,
               int64_t instant_ns, double max_slope_ppm, std::vector<int64_t>* guess_ns);

  bool reached(uint32_t host) const { return reached_[host] != 0; }
  // Where the clock of `host` stands at the instant, by the spanning tree; good to error_ns(host).
  int64_t local_ns(uint32_t host) const { return instant_ns_ + tree_ns_[host]; }
  double error_ns(uint32_t host) const { return error_ns_[host]; }

  // Offsets of all reached hosts to `root`, in the order of hosts.
  std::vector<PairOffset> to_root() const;
  std::vector<PairOffset> to_host(uint32_t a) const;

  struct Evaluated {
    uint32_t edge = 0;
    double estimate_ns = 0, lo_ns = 0, hi_ns = 0;  // relative to the spanning tree's offsets
    double expected_error_ns = 0;
    double residual_ns = 0;
  };
  const std::vector<Evaluated>& evaluated() const { return evaluated_; }
  double mad_ns() const { return mad_ns_; }
  // Edges that contradicted the others and were left out, each with the cycle that proved it.
  const std::vector<std::vector<uint32_t>>& contradictions() const { return contradictions_; }

 private:
  struct EdgeOffset {
    int64_t lo_ns = 0, hi_ns = 0, estimate_ns = 0;
    double spread_ns = 0;  // of the ends it comes from; 0: it is the interval's middle
  };
  std::optional<EdgeOffset> at(uint32_t edge, int64_t a_local_ns) const;
  std::optional<EdgeOffset> at_other_end(uint32_t edge, int64_t b_local_ns, int64_t guess_ns) const;
  void grow_tree(const std::vector<std::vector<uint32_t>>& touching,
                 std::vector<int64_t>* guess_ns);
  void evaluate(double max_slope_ppm);
  void solve();

  const std::vector<GraphEdge>& edges_;
  const uint32_t root_;
  const int64_t instant_ns_;
  std::vector<char> reached_;
  std::vector<int64_t> tree_ns_;
  std::vector<double> error_ns_;
  std::vector<Evaluated> evaluated_;
  std::vector<double> offset_ns_;     // estimate relative to tree_ns_
  std::vector<double> potential_ns_;  // satisfies every bound
  std::optional<DifferenceBounds> bounds_;
  std::vector<std::vector<uint32_t>> contradictions_;
  double mad_ns_ = 0;
};

}  // namespace lockstep::clocksync
