// Which transfers take longer than such transfers usually do, and over which edge, as far as the
// recording tells. Compared are communicators that do the same (function, size, ranks, hosts), and
// inside one the edges that are alike: sends and receives by their own times, collectives by when their
// ranks are done. Linear in the operations but for finding medians.
//
// A ring ends everywhere at nearly the same time, but not quite: the data that a rank receives last has
// not crossed the rank's own outgoing edge in its last round. So behind a slow edge the ranks are done
// later than the one before it, by what one passage costs more. And what a receiver is done with much
// later than its sender knew of its arrival is held up at the receiver.
#pragma once

#include <vector>

#include "analysis/whatif/own_segments.h"

namespace lockstep::analysis {

// What is slow of a transfer.
enum class SlowSide : uint8_t {
  SenderOrLink,  // which of them the recording does not tell
  Sender,        // takes long to hand over data: its proxy thread or its GPU
  Link,          // network steps take long between sending and acknowledging
  Receiver,      // takes long to handle what has arrived: its proxy thread or its GPU
  ReceiverProxy,
  ReceiverGpu,
  Anybody,  // one of the ranks that take part
};

// That operations take longer than usual, for one reason.
struct TransferExcess {
  SlowSide side = SlowSide::Anybody;
  std::vector<uint32_t> actors;  // sender and receiver, in this order; Anybody: all that take part
  uint32_t communicator = kNoRow;
  std::vector<uint32_t> matches;  // rows
  int64_t excess_ns = 0;          // of each of them
  int64_t usual_ns = 0;           // what they take without it
};

std::vector<TransferExcess> find_transfer_excesses(const RunTables& run, const OwnSegments& own);

}  // namespace lockstep::analysis
