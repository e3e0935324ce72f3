// A pair of hosts with known clocks that send each other probe trains over a made-up network, in
// pure computation. The unit tests and the bench take their truth from it; nothing else calls it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "clocksync/solve/edge_solver.h"
#include "clocksync/wire/clock_source.h"

namespace lockstep::clocksync {

// One direction of the path. Delay = floor + extra (asymmetry) + queue + jitter, all in ns.
struct SimulatedPath {
  double floor_ns = 2'000;
  double extra_ns = 0;
  double jitter_ns = 300;  // mean of an exponential: stamping noise, always late
  double queue_load = 0;   // rho of an M/M/1 queue fed by other traffic
  double queue_service_ns = 12'000;
  double burst_share = 0;  // share of the time in which an overload adds milliseconds
};

struct SimulatedScenario {
  std::string name;
  VirtualClockModel clock_a, clock_b;
  SimulatedPath a_to_b, b_to_a;
  double trains_per_s = 10;
  int train = 3;
  double loss = 0, duplication = 0;
  double missing_tx = 0;  // share of packets that only have the application's (earlier) send stamp
  double duration_s = 20;
};

struct SimulatedEdge {
  EdgeBounds bounds;     // after the hull reduction per bin, as the solver would read them
  uint64_t packets = 0;  // before it
  // theta at instant x of a's clock, by construction.
  int64_t truth(int64_t x_raw_ns) const;
  VirtualClockModel clock_a, clock_b;
};

// Deterministic in the seed. Packets arrive at the reduction in shuffled order.
SimulatedEdge simulate(const SimulatedScenario& scenario, uint64_t seed);

// Every condition that the guarantee is claimed for: load, loss, reordering, duplication,
// asymmetry, 200 ppm, wander within D, clock steps, missing transmit stamps, low and high cadence.
std::vector<SimulatedScenario> all_scenarios();

}  // namespace lockstep::clocksync
