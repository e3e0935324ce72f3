// All hosts over the whole run: from solved edges to the model that everything offline uses.
//
// At instants every knot_ns of the reference's clock (and at the borders of every clock step) the
// graph is solved as graph_instant.h describes; each host gets a knot per instant. Components that
// no edge connects are solved apart and reported: an offset between them is never invented.
// Offline, one thread; time and memory are linear in (hosts + edges) * instants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clocksync/record/clock_model.h"
#include "clocksync/solve/graph_instant.h"
#include "clocksync/solve/graph_report.h"

namespace lockstep::clocksync {

struct GraphOptions {
  int64_t knot_ns = 250'000'000;
  // Hosts * instants; knots get farther apart to stay below.
  size_t max_knots = 20'000'000;
  double max_slope_ppm = 400;
};

class GraphSolver {
 public:
  // Host names sorted; edges refer to them by index.
  GraphSolver(std::vector<std::string> hosts, std::vector<GraphEdge> edges, GraphOptions options);
  GraphSolver(const GraphSolver&) = delete;
  GraphSolver& operator=(const GraphSolver&) = delete;

  const ClockModel& solve();

  // The clock of each host minus the clock of `a` when a's clock shows at_raw_ns; nothing for hosts
  // that are not connected with a. After solve().
  std::vector<std::optional<PairOffset>> pairs(uint32_t a, int64_t at_raw_ns);

  const std::vector<GraphEdge>& edges() const { return edges_; }

 private:
  struct Range {
    int64_t from_ns, to_ns;
  };

  void narrowest_first();
  void find_components();
  void name_sources();
  Range range_of(uint32_t root);
  void solve_component(uint32_t root);
  int64_t next_instant(const GraphInstant& now, uint32_t root, int64_t instant_ns,
                       int64_t knot_ns) const;
  std::vector<char> stepped_hosts(const GraphInstant& now, uint32_t root, int64_t for_ns) const;
  void add_knots(const GraphInstant& now, uint32_t root, int64_t instant_ns);
  void widen_for_curvature();

  GraphOptions options_;
  std::vector<GraphEdge> edges_;
  std::vector<std::vector<uint32_t>> touching_;
  std::vector<uint32_t> component_;
  std::vector<int64_t> guess_ns_;
  GraphReport report_;
  ClockModel model_;
};

}  // namespace lockstep::clocksync
