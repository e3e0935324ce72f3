// What makes transfers slow, and what that costs the run. Plain data.
#pragma once

#include <optional>
#include <vector>

#include "analysis/paths/transfer_excess.h"

namespace lockstep::analysis {

// How long a proxy thread takes to make visible to its GPU what has come, on average over the steps of an operation.
struct LateRounds {
  int32_t rank = -1;
  uint32_t process = 0;
  int64_t own_ns = 0, others_ns = 0;  // in the fastest quarter of the operations
  int64_t lost_ns = 0;                // of a network operation
  uint64_t operations = 0;            // of its own
  uint32_t operation = kNoRow;        // one of them
};

struct SlowPart {
  std::vector<uint32_t> actors;  // all of a host; those at one end of the way to another; else one
  bool host = false;
  bool both_ends = false;  // actors: all at either end, which are two ranks, or those of two hosts
  bool inside_host = false;  // most of it passes no network; both_ends: of ranks of one host
  // The actor or the host at the other end, where only the edges between the two are slow: in one direction,
  // or in both_ways, where what that exchanges with others is not.
  uint32_t peer = kNoRow;
  Text peer_host = 0;
  bool both_ways = false;
  SlowSide side = SlowSide::SenderOrLink;
  uint32_t communicator = kNoRow;  // where it costs most
  int64_t gain_ns = 0;             // the run would be so much shorter
  int64_t span_ns = 0;             // and how long it took
  // Of the worst operations, what they take, and would take.
  int64_t took_ns = 0, usual_ns = 0;
  bool of_tree = false;                  // as what costs most of it
  bool sure = false;                     // no trace of late starts
  bool steady = true;                    // what no chance makes is at least half of it
  std::vector<TransferExcess> excesses;  // that show it
  // Of the actor's proxy thread, where that tells whose it is.
  std::optional<LateRounds> late_rounds;
};

}  // namespace lockstep::analysis
