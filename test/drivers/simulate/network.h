// How long data takes: latency and bandwidth of edges inside and between hosts, and the times of an
// operation over them. Inside a host from a formula, between hosts step by step. Knows faults and
// noise, not kernels. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "test/drivers/simulate/fault.h"
#include "test/drivers/simulate/layout.h"
#include "test/drivers/simulate/meeting.h"
#include "test/drivers/simulate/program.h"
#include "test/drivers/simulate/transport.h"
#include "test/drivers/simulate/ways.h"

namespace lockstep::simulate {

struct Machine {
  // Per GPU; bytes per nanosecond is GB/s.
  double inside_bytes_per_ns = 200, between_bytes_per_ns = 25;
  int64_t inside_ns = 1'000, between_ns = 6'000;  // an edge's latency
  int64_t kernel_ns = 4'000;                      // a communication kernel that moves nothing
  uint64_t eager_bytes = 256 << 10;  // a send that fits into the buffers does not wait for its peer
};

// From a call's return until the proxy has taken it up.
constexpr int64_t kPostNs = 8'000;

// A collective of so few bytes goes up and down a tree; where that is not played, each rank has one
// step with its neighbours over the network.
constexpr uint64_t kSmallBytes = 64 << 10;

// What moves on the channels of one way. Each channel has its share of an operation's bytes.
struct Flow {
  TransportTimes times;
  std::vector<Hop> hops;           // by edge, from member to member of the meeting
  std::vector<char> over_network;  // by edge
  std::vector<unsigned> channels;
  uint64_t step_bytes = 0;  // of one channel
};

// What became of a meeting.
struct Transfer {
  bool over_network = false;
  std::vector<Flow> flows;       // where it goes over the network
  std::vector<int64_t> ends_ns;  // of kernels, by member
};

class Network {
 public:
  // `every_step`: as many steps as NCCL makes; else no more than the times need.
  Network(const Layout& layout, const Machine& machine, const Noise& noise, const Faults& faults,
          bool every_step)
      : layout_(layout),
        machine_(machine),
        noise_(noise),
        faults_(faults),
        every_step_(every_step) {}

  // Also of a meeting that is not complete: kNever where its data does not get yet, or never.
  void play(const Meeting& meeting, Transfer* transfer) const;

 private:
  bool crosses(int from, int to) const { return layout_.host_of(from) != layout_.host_of(to); }
  // A send that ends with its own kernel, into the buffers, whatever its peer does.
  bool is_eager(const Part& part) const { return part.bytes <= machine_.eager_bytes; }
  int64_t copy_ns(uint64_t bytes) const;
  double bytes_per_ns(int from, int to, int step) const;
  int64_t latency_ns(int from, int to) const {
    return crosses(from, to) ? machine_.between_ns : machine_.inside_ns;
  }
  int64_t ring_ns(const Meeting& meeting, const Way& way, double noise) const;
  void play_by_formula(const Meeting& meeting, const std::vector<Way>& ways, double noise,
                       std::vector<int64_t>* ends_ns) const;
  TransportShape ring_shape(const Part& part, size_t ranks, Flow* flow) const;
  TransportShape tree_shape(const Part& part, Flow* flow) const;
  TransportShape chain_shape(const Part& part, uint64_t most_bytes, Flow* flow) const;
  TransportEdge edge(const Meeting& meeting, int from, int to, uint64_t bytes, double noise) const;
  std::vector<TransportMember> members(const Meeting& meeting, uint64_t step_bytes) const;
  std::vector<TransportEdge> edges(const Meeting& meeting, const Way& way, double noise,
                                   Flow* flow) const;
  bool play_way(const Meeting& meeting, const Way& way, double noise, bool unlucky,
                Flow* flow) const;
  void play_collective(const Meeting& meeting, Transfer* transfer) const;
  void play_rooted(const Meeting& meeting, Transfer* transfer) const;
  void play_pair(const Meeting& meeting, Transfer* transfer) const;

  const Layout& layout_;
  Machine machine_;
  const Noise& noise_;
  const Faults& faults_;
  bool every_step_;
};

}  // namespace lockstep::simulate
