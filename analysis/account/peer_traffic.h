// Who sends how much to whom: the calls of send and receive of a run by pair of ranks, and how evenly
// they are spread. An all-to-all is made of such calls. What collectives move over the network is not
// in it: which rank passes what to which is NCCL's choice. Linear in the operations. Pure functions.
#pragma once

#include <vector>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// By communicator, rank and peer.
std::vector<PeerTrafficRow> find_peer_traffic(const RunTables& run);

// How uneven the ranks of a communicator are.
struct Imbalance {
  uint32_t communicator = kNoRow;
  size_t ranks = 0, pairs = 0;  // of ranks: those that send or receive; of pairs: with a direction
  uint64_t bytes = 0;           // sent in all
  // Of the rank that sends most, or receives most.
  int32_t most_sent_by = -1, most_received_by = -1;
  uint64_t most_sent = 0, most_received = 0;
  // That, as many times the mean of its ranks.
  double sent_factor = 0, received_factor = 0;
};

// The communicator that moves most first.
std::vector<Imbalance> find_imbalances(const std::vector<PeerTrafficRow>& traffic);

}  // namespace lockstep::analysis
