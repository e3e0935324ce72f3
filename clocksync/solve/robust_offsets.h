// One offset per host from measured differences along the edges of a graph, at one instant.
//
// Minimises sum over edges of huber((x_b - x_a - offset) / sigma): weighted least squares (a
// Laplacian system, solved by conjugate gradients) repeated with weights min(1, 1.5 MAD /
// |residual|). Averages path asymmetries that are independent per edge: in a random k-regular graph
// the error per host is sigma * sqrt((k-1) / (k (k-2))), independent of the number of hosts (the
// unit test simulates it). Huber because a tenth of the edges may be microseconds wrong, and a
// redescending loss locked onto them in simulation. What it cannot see: a host whose receiving path
// is slower than its sending path. Pure computation, any size; memory is a few doubles per host and
// edge.
#pragma once

#include <cstdint>
#include <vector>

namespace lockstep::clocksync {

struct MeasuredEdge {
  uint32_t a = 0, b = 0;
  double offset_ns = 0;  // clock of b - clock of a
  double sigma_ns = 1;   // its expected error
};

struct RobustOffsets {
  std::vector<double> offset_ns;    // per host; 0 for the first host of every component
  std::vector<double> residual_ns;  // per edge: measured - (x_b - x_a)
  double mad_ns = 0;                // median |residual|
  int iterations = 0;               // of the reweighting
};

// Hosts that no edge connects get 0. `component[h]` is the smallest host connected with h.
RobustOffsets solve_offsets(const std::vector<uint32_t>& component,
                            const std::vector<MeasuredEdge>& edges);

// Union-find over the edges' ends.
std::vector<uint32_t> components(uint32_t hosts, const std::vector<MeasuredEdge>& edges);

}  // namespace lockstep::clocksync
