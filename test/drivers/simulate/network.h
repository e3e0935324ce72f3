// How long data takes: latency and bandwidth of edges inside and between hosts, and the time a ring
// takes over them. Knows faults and noise, not kernels. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "test/drivers/simulate/fault.h"
#include "test/drivers/simulate/layout.h"
#include "test/drivers/simulate/program.h"

namespace lockstep::simulate {

struct Machine {
  // Per GPU; bytes per nanosecond is GB/s.
  double inside_bytes_per_ns = 200, between_bytes_per_ns = 25;
  int64_t inside_ns = 1'000, between_ns = 6'000;  // an edge's latency
  int64_t kernel_ns = 4'000;                      // a communication kernel that moves nothing
  uint64_t eager_bytes = 256 << 10;  // a send that fits into the buffers does not wait for its peer
};

class Network {
 public:
  Network(const Layout& layout, const Machine& machine, const Noise& noise, const Faults& faults)
      : layout_(layout), machine_(machine), noise_(noise), faults_(faults) {}

  // A ring collective that moves its data once every member has begun: nanoseconds from then on.
  // Every byte crosses every edge once (all-gather, reduce-scatter) or twice (all-reduce), less
  // the share of one rank.
  int64_t ring_ns(const Part& part, uint64_t ordinal, int step) const;
  // From one world rank to another, once both have begun.
  int64_t transfer_ns(const Part& part, int from, int to, uint64_t ordinal, int step) const;
  // A send that does not wait for its peer: into the buffers.
  bool is_eager(const Part& part) const { return part.bytes <= machine_.eager_bytes; }
  int64_t copy_ns(uint64_t bytes) const;

 private:
  struct Edge {
    int64_t latency_ns;
    double bytes_per_ns;
  };
  Edge edge(int from, int to, int step) const;

  const Layout& layout_;
  Machine machine_;
  const Noise& noise_;
  const Faults& faults_;
};

}  // namespace lockstep::simulate
