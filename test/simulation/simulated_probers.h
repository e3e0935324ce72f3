// Hosts whose probers talk to each other over a made-up network, in virtual time: the peers, keys,
// packets, schedules and records are the product's (clocksync/probe), while sockets, clocks and
// delays are made up. So what the method is worth can be judged to the nanosecond on any machine,
// however busy. Deterministic in the seed; the unit tests call it.
#pragma once

#include <cstdint>
#include <vector>

#include "clocksync/solve/edge_solver.h"
#include "clocksync/wire/clock_source.h"

namespace lockstep::clocksync {

struct SimulatedNetwork {
  // Every packet's least delay, and more of it from lower to higher host numbers.
  double floor_ns = 240;
  double extra_upwards_ns = 0;
  // Mean of an exponential: what stamping and switching add.
  double jitter_ns = 100;
  // Share of packets that something holds up (a busy core, a queue), and the mean of by how much.
  double late_share = 0;
  double late_ns = 0;
  double loss = 0;
  // False: stamps are the application's, microseconds early and late.
  bool kernel_stamps = true;
};

struct SimulatedProbers {
  std::vector<VirtualClockModel> clocks;
  // Of all hosts together, in the last second of the run (bursts are over then).
  uint64_t packets_in_last_second = 0;
  // [a][b]: what the records of a and b say about clock of b - clock of a.
  std::vector<std::vector<EdgeBounds>> bounds;

  int64_t truth(size_t a, size_t b, int64_t a_raw_ns) const;
};

// Every host probes every other at the default settings, for whole seconds.
SimulatedProbers simulate_probers(const std::vector<VirtualClockModel>& clocks,
                                  const SimulatedNetwork& network, int seconds, uint64_t seed);

// The clocks of test/clocksync: the first is right, the others are seconds away, up to 30 ppm off,
// and wander by 31 ns/s^2.
std::vector<VirtualClockModel> usual_clocks(size_t hosts);

}  // namespace lockstep::clocksync
