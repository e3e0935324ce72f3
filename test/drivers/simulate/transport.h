// How the data of one operation moves, step by step: what the GPU has ready, what the receiver gives
// credit for, what is on the wire, what arrived and what was taken. From these times come kernel ends
// and the network events of a recording; where somebody never comes, they say how far the others get.
// Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace lockstep::simulate {

// Later than everything; sums with it do not overflow.
constexpr int64_t kNever = INT64_MAX / 2;
constexpr bool happens(int64_t ns) { return ns < kNever; }

struct TransportMember {
  int64_t posted_ns = kNever;  // its proxy, or its peer, knows of the operation
  int64_t begun_ns = kNever;   // of its kernel
  int64_t gpu_ns = 0;          // to reduce or copy one step
  bool data_stops = false;     // half of its steps arrive, then none
};

struct TransportEdge {
  int64_t latency_ns = 0;
  int64_t wire_ns = 0;                     // one step is on the wire
  int64_t sender_ns = 0, receiver_ns = 0;  // what the proxies at its ends take for a step
  uint32_t lost_step = 0;                  // this one is lost once and comes loss_ns later
  int64_t loss_ns = 0;
};

struct TransportShape {
  uint32_t steps = 1;          // over each edge
  uint32_t behind = 0;         // send n needs receive n - behind; 0 = sends need no receive
  uint32_t steps_of_loop = 1;  // ... but the first `behind` sends of each loop
  uint32_t credits = 4;        // steps that a receiver has room for
};

// One step over one edge; kNever: it does not happen.
struct StepTimes {
  int64_t posted_ns, ready_ns, offered_ns, sent_ns, acknowledged_ns;  // by the sender
  int64_t awaited_ns, arrived_ns, flushed_ns, consumed_ns;            // by the receiver
};

struct TransportTimes {
  uint32_t steps = 0;            // 0: not played, only ends_ns is known
  std::vector<StepTimes> edges;  // [edge * steps + step]
  std::vector<int64_t> ends_ns;  // of kernels, by member

  const StepTimes& at(size_t edge, uint32_t step) const { return edges[edge * steps + step]; }
};

// Edge i leads from member i to the next one; the last leads to the first. `times` keeps its memory.
void play_ring(const std::vector<TransportMember>& members, const std::vector<TransportEdge>& edges,
               const TransportShape& shape, TransportTimes* times);

// Along the same edges from member `first` to the one before it, which leads nowhere. Sends need the
// receive of the same number.
void play_chain(const std::vector<TransportMember>& members,
                const std::vector<TransportEdge>& edges, size_t first, const TransportShape& shape,
                TransportTimes* times);

// Up and down a tree, in as many steps each way: to the root the sum of all below, and back the whole.
// parents[i]: at least the number of members at the root. Edge 2 * i leads from member i to its parent,
// 2 * i + 1 back; nothing crosses the root's. A member takes up a step of all that feed it at once.
void play_tree(const std::vector<TransportMember>& members, const std::vector<TransportEdge>& edges,
               const std::vector<size_t>& parents, const TransportShape& shape,
               TransportTimes* times);

// From members[0] to members[1] over one edge.
void play_transfer(const std::vector<TransportMember>& members, const TransportEdge& edge,
                   const TransportShape& shape, TransportTimes* times);

}  // namespace lockstep::simulate
