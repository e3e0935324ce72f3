// Which edge, rank or host makes transfers slow and costs the job time by it: the excesses of the
// transfers (slow_transfers.h) are taken away from the replay (what_if.h), those of one edge, of all
// that one rank takes part in, of all edges from one host to another, and of all edges of one host. The
// smallest part that has most of the best gain is accused and cured, and the question asked again. Where
// two ranks or hosts explain it equally well, it is what they exchange.
#pragma once

#include <vector>

#include "analysis/paths/transfer_excess.h"
#include "analysis/whatif/what_if.h"

namespace lockstep::analysis {

struct SlowPart {
  std::vector<uint32_t> actors;  // all of a host; those at one end of the way to another; else one
  bool host = false;
  bool both_ends = false;  // actors: all at either end, which are two ranks, or those of two hosts
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
  bool sure = false;   // no trace of late starts
  bool steady = true;  // what no chance makes is at least half of it
};

// Where ranks are late, what only the ends show, but where all started together, may be a trace of that:
// it must be far more than late starts leave behind, and cost far more. Where network steps are recorded and
// are as fast as others', it must be more than these leave behind in any case.
enum class Starts : uint8_t { NobodyIsLate, SomebodyIsLate };
std::vector<SlowPart> find_slow_parts(const RunTables& run, const OwnSegments& own, Starts starts);

}  // namespace lockstep::analysis
