// How long others waited for a lateness on the critical path. Pure function.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/whatif/what_if.h"

namespace lockstep::analysis {

// All are read as long as this lives.
struct Waiting {
  const RunTables& run;
  const OwnSegments& own;
  const std::vector<PathPiece>& path;
  const std::vector<size_t>& begin_of;  // by actor, and one more: where it begins in the order
  int64_t end_ns = 0;                   // of the run
};

// For a piece of the path, which is one of the actors': in its operation, or in a later one that they came late
// to for that reason; its excess at most. 0: for too little of it. actors: sorted.
int64_t longest_caused_wait(const Waiting& waiting, const std::vector<uint32_t>& actors, size_t at);

}  // namespace lockstep::analysis
