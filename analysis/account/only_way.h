// A run on two hosts alone: what moves between them has one way, and no other tells whether it is slow throughout. How much
// that could matter, and at what rate most of it moved, to compare with what the hosts' adapters can do. A replay of the
// whole run, linear in the operations. Pure function.
#pragma once

#include "analysis/follow/own_segments.h"

namespace lockstep::analysis {

struct OnlyWay {
  // Row of `operations`: one of that communicator, function and size which moved data between them for longest; kNoRow:
  // no such way, or it matters little.
  uint32_t operation = kNoRow;
  double busbw_gbs = 0;  // their middle, from the last start to the last end; 0 = unknown
  // So much shorter were the run had all that moved between the hosts moved twice as fast.
  int64_t gain_percent = 0;
};

OnlyWay find_only_way(const RunTables& run, const OwnSegments& own);

}  // namespace lockstep::analysis
