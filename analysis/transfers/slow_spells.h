// When the network takes far longer for what a rank sends than at other times, or a rank's proxy thread to come round,
// by its own network steps. One clock tells that, so it holds between hosts whose clocks nothing connects, and where all
// other ways are slow as well. What its hosts send and receive besides at that time is allowed for (host_traffic.h).
// A rank with several peers, as on a tree, is told by the network operations of each channel.
// Operations count that took longer themselves, by no more than they did. Linear in the operations but for sorting.
// Pure function.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

// Transfers of one function and size from one rank to another that were slow at times.
struct SlowSpells {
  bool proxy = false;  // the receiver's proxy thread was; else the way between them
  uint32_t communicator = kNoRow, from = kNoRow, to = kNoRow;  // row; actors
  std::vector<uint32_t> matches;                               // the slow ones
  int64_t usual_ns = 0;   // what such operations take, from the last start to the last end
  int64_t excess_ns = 0;  // by so much more these took on average
  size_t way = 0;         // the n-th of these operations that was slow
};

struct SpellsOfRun {
  std::vector<SlowSpells> slow;
  std::set<std::pair<uint32_t, uint32_t>> compared;  // sender and receiver, slow or not
};
enum class Spells : uint8_t { OfAll, OfProxies };
SpellsOfRun find_slow_spells(const RunTables& run, const OwnSegments& own, Spells which);

}  // namespace lockstep::analysis
