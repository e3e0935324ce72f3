// What the graph solver says about its own answer: a report per edge (how wide, how far off the
// graph), weak hosts, faults. It samples every instant that is solved and writes at the end. Pure
// computation, owned by one GraphSolver; two floats per edge and instant.
#pragma once

#include <cstdint>
#include <vector>

#include "clocksync/record/clock_model.h"
#include "clocksync/solve/graph_instant.h"

namespace lockstep::clocksync {

class GraphReport {
 public:
  // `edges` must outlive this.
  explicit GraphReport(const std::vector<GraphEdge>& edges)
      : edges_(edges), samples_(edges.size()), contradicted_(edges.size(), 0) {}

  // The first contradiction of an edge becomes a fault of the model at once.
  void sample(const GraphInstant& now, ClockModel* model);
  // Reports and faults of the run, into a model whose hosts are named.
  void write(const std::vector<std::vector<uint32_t>>& touching,
             const std::vector<uint32_t>& component, ClockModel* model) const;

 private:
  struct Samples {
    std::vector<float> residual_ns, width_ns;
  };

  EdgeReport report_of(uint32_t edge, const ClockModel& model, double asymmetric_ns) const;
  void write_partition(const std::vector<uint32_t>& component, ClockModel* model) const;
  void write_faults(uint32_t edge, ClockModel* model) const;

  const std::vector<GraphEdge>& edges_;
  std::vector<Samples> samples_;
  std::vector<double> mads_ns_;
  std::vector<char> contradicted_;
};

}  // namespace lockstep::clocksync
