// What a recording shows of each transfer: of sends and receives between hosts by sender and receiver, of
// collectives whose data goes round a ring by the edges of that ring, and of those whose data goes along
// a chain, from a root or to it, as if each of its edges between hosts were a send. Taken are transfers
// that are recorded on all ranks and are no connection set-up. Linear in the operations.
//
// Which rank follows which on a ring is NCCL's choice, by topology. Network operations name their peers,
// so hosts follow each other as these say. Inside a host nothing is named: there the ranks between the
// one that receives from another host and the one that sends to the next are taken in their own order.
//
// With several channels a rank may follow another on one of them only. Kernels, which end with the slowest
// channel, tell nothing then; but network operations do, each being of one channel. So `later` of an edge of
// a channel is how much later its receiver had received all than the rank at which the channel enters the
// sender's host: the way through that host is part of the edge.
//
// Of a collective that goes up and down a tree on each channel, only network operations tell: when each edge
// between hosts has brought all its data.
#pragma once

#include <algorithm>
#include <tuple>
#include <vector>

#include "analysis/follow/own_segments.h"
#include "analysis/transfers/chain_edges.h"

namespace lockstep::analysis {

// What is known of one edge, by transfer over it; kNoTime where it is not.
struct EdgeSamples {
  uint32_t from = kNoRow, to = kNoRow;  // actors
  bool network = false;
  uint64_t role = 0;           // edges of a role are alike
  std::vector<int64_t> later;  // the receiver's kernel ends after the sender's; of a channel: above
  std::vector<int64_t> lag;    // the receiver is done after the sender knew of the last arrival
  // ... saw that a step had come after the sender saw it sent, on average over all of them; of rings only
  std::vector<int64_t> uptake;
  std::vector<int64_t> wire;  // a network step takes from sending to its acknowledgement
  std::vector<int64_t> work;  // ... of which it waits behind no other that was sent before it
  std::vector<int64_t> gpu;   // ... to be emptied by the receiver's GPU
};

// The operations of one function and size on one communicator; or where their channels go round different
// rings, what one of these channels does of them.
struct RingSeries {
  uint32_t communicator = kNoRow;
  size_t channels = 0;  // that it is one of; 0: all go round one ring
  uint8_t channel = 0;
  std::tuple<Text, uint64_t, int32_t, size_t> alike;  // function, size, ranks, hosts
  // In the order of the ring, and by rank: its place there. Of a channel all ranks, in no order.
  std::vector<uint32_t> actors, place;
  std::vector<uint32_t> matches;
  std::vector<int64_t> times;  // by match: from the last start to the last end
  std::vector<int64_t> apart;  // ... from the first start to the last
  std::vector<Text> last;      // ... the host whose rank starts last
  // From each of `actors` to the next, the last to the first; of a channel from each host to the next.
  std::vector<EdgeSamples> edges;
  uint64_t steps = 0;    // over one edge, on a channel
  uint64_t sends = 0;    // ... on all channels
  bool in_order = true;  // as far as peers are named, they are those of this ring

  // How often the data of an operation passes an edge, one after the other.
  int64_t passes() const {
    const int64_t hops = int64_t{std::get<2>(alike)} - 1;
    return std::max<int64_t>(1, hops > 0 ? static_cast<int64_t>(steps) / hops : 1);
  }
  // The edge that this actor sends over; as many as there are: it sends over none.
  size_t edge_from(uint32_t actor) const {
    const auto at = std::find_if(edges.begin(), edges.end(),
                                 [&](const EdgeSamples& edge) { return edge.from == actor; });
    return static_cast<size_t>(at - edges.begin());
  }
  // Those between hosts, in the order of the ring.
  std::vector<size_t> network_edges() const {
    std::vector<size_t> network;
    for (size_t i = 0; i < edges.size(); ++i) {
      if (edges[i].network) network.push_back(i);
    }
    return network;
  }
  // Inside one host ranks do not end in the order of a ring.
  bool crosses_hosts() const { return std::get<3>(alike) > 1; }
};

struct AlikeSends {
  Text func = 0;
  uint64_t bytes = 0;
  Begin begin = Begin::Whole;
  bool alone = false;    // neither of both ranks did anything else in the same kernel
  bool network = false;  // they are on different hosts
  bool operator<(const AlikeSends& other) const {
    return std::tie(func, bytes, begin, alone, network) <
           std::tie(other.func, other.bytes, other.begin, other.alone, other.network);
  }
};

// What one rank sends to another.
struct PairSeries {
  uint32_t communicator = kNoRow, from = kNoRow, to = kNoRow;  // row; actors
  AlikeSends alike;
  std::vector<uint32_t> matches;
  // By match: from the later start to the receiver's end; along a chain, from when the transfer began.
  std::vector<int64_t> times;
  std::vector<int64_t> whole;  // ... from when the sender began
  // `times` as if nothing else had passed its hosts' ways to the network meanwhile, which it shared evenly.
  std::vector<int64_t> alone;
  EdgeSamples edge;  // `later` stays empty
};

// One edge of a tree, in one direction.
struct TreeEdge {
  uint32_t from = kNoRow, to = kNoRow;  // actors
  // By match, after the last rank had started: when the sender knew that all was sent, and when the receiver was
  // done; kNoTime: not known.
  std::vector<int64_t> sent, received;
  std::vector<int64_t> wire;  // as of an EdgeSamples
};
// What one channel does of the operations of one function and size on one communicator.
struct TreeSeries {
  uint32_t communicator = kNoRow;
  uint8_t channel = 0;
  std::tuple<Text, uint64_t, int32_t, size_t> alike;  // function, size, ranks, hosts
  std::vector<TreeEdge> edges;  // two for each pair of hosts, one behind the other: there and back
  std::vector<uint32_t> matches;
  std::vector<int64_t> apart;  // by match: from the first start to the last
  uint64_t steps = 0;          // over one edge
};

struct TransferSamples {
  std::vector<RingSeries> rings;
  std::vector<TreeSeries> trees;
  std::vector<PairSeries> pairs;
};

TransferSamples sample_transfers(const RunTables& run, const OwnSegments& own);

}  // namespace lockstep::analysis
