// What is slow of some transfers, over which edge, and what that costs each of them. Plain data.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "analysis/tables/tables.h"

namespace lockstep::analysis {

// What is less than this part of a transfer's usual time does not matter.
constexpr double kLeastPartOfTransfer = 0.02;

// What is slow of a transfer.
enum class SlowSide : uint8_t {
  SenderOrLink,  // which of them the recording does not tell
  Sender,        // takes long to hand over data: its proxy thread or its GPU
  Link,          // network steps take long between sending and acknowledging
  Way,  // data arrives long after the network had taken it: the link, or the receiver's way from the network
  Receiver,  // takes long to handle what has arrived: its proxy thread or its GPU
  ReceiverProxy,
  ReceiverGpu,
  Gpu,      // takes long to hand on what its host sends: the GPU of a rank before the sender
  Anybody,  // one of the ranks that take part
};
// Told by when ranks are done, not by network operations.
inline bool is_by_ends(SlowSide side) {
  return side == SlowSide::SenderOrLink || side == SlowSide::Sender;
}
inline bool is_of_receiver(SlowSide side) {
  return side == SlowSide::Receiver || side == SlowSide::ReceiverProxy ||
         side == SlowSide::ReceiverGpu;
}

// That operations take longer than usual, for one reason.
struct TransferExcess {
  SlowSide side = SlowSide::Anybody;
  // Sender and receiver, in this order; Gpu: whose it is; Anybody: all that take part.
  std::vector<uint32_t> actors;
  uint32_t holder =
      kNoRow;  // who holds up what the sender sends along a chain, where that is another
  uint32_t communicator = kNoRow;
  // Whose part of the operations it lengthens, where each channel has its own ring, or, of slow_spells.h, which of the ways
  // that were slow it is; else 0. They work at the same time: an operation takes as long as its slowest.
  uint8_t channel = 0;
  std::vector<uint32_t> matches;  // rows
  int64_t excess_ns = 0;          // of each of them
  int64_t usual_ns = 0;           // what they take without it
  // No trace of late starts: seen where all ranks had started together, or as a longer time.
  bool sure = false;
  size_t last_starters = 0;  // it shows whichever of so many hosts starts last
  // With what takes place elsewhere, not with its own other times.
  bool compared = false;
  // So much more than usual stamps of two hosts show of one operation, or of one pass; 0: those of one host do, or it is
  // compared with other times of the same two.
  int64_t across_ns = 0;
  // Of two hosts: what is usual was seen the other way round, by which the clocks make it look shorter by as much.
  bool usual_across = false;
  // By the ends of a tree's edges, where what a host has to carry looks like a slow edge at times.
  bool of_tree = false;
  // Seen in so many of the operations, and so far above what is usual, that chance does not make it.
  bool steady = true;
};

// Of all operations.
inline int64_t all_ns(const TransferExcess& one) {
  return one.excess_ns * static_cast<int64_t>(one.matches.size());
}

// What was left out of one communicator's transfers, by what costs most: stamps of two hosts show it, and by no more than
// these hosts' clocks may be apart.
struct WithinClocks {
  uint32_t communicator = kNoRow;
  int64_t all_ns = 0;    // of all operations
  int64_t shown_ns = 0;  // more than usual, of one
  int64_t error_ns = 0;  // so far apart the clocks may be, either way
};

// What find_slow_transfers() saw.
struct SlowTransfers {
  std::vector<TransferExcess> excesses;
  std::vector<WithinClocks> within_clocks;
  // Sender and receiver of all sends that were compared with others like them, slow or not.
  std::set<std::pair<uint32_t, uint32_t>> compared;
};

}  // namespace lockstep::analysis
