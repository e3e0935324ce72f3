// When a set of ranks held the run up, by the critical path, and how likely noise alone is to give anybody these
// occasions. Pure functions; linear in the path and in the operations of the set.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/follow/role_reference.h"
#include "analysis/whatif/what_if.h"

namespace lockstep::analysis {

// One time that a culprit held the run up.
struct Occasion {
  uint32_t arrival = kNoRow;  // row: the operation it came late to
  int64_t excess_ns = 0;
  int64_t waited_ns = 0;  // the longest wait of another rank, there or in what it came late to next
};

// Among whom a culprit is sought. All are read as long as this lives.
struct Inquiry {
  const RunTables& run;
  const OwnSegments& own;
  const Roles& roles;
  const Excesses& excesses;
  const std::vector<uint8_t>& possible;  // by actor: has operations, and is not accused already
  const std::vector<PathPiece>& path;    // without what those who are accused lost
  const std::vector<size_t>& begin_of;   // by actor, and one more: where it begins in the order
  int64_t end_ns = 0;                    // of the run
};

struct Occasions {
  std::vector<Occasion> all;  // in the order of time
  double chance = 1;          // that noise gives anybody these; 1 where they are too few to tell
  bool beside_none = false;   // nobody else lost as much at any moment
};

// actors: sorted.
Occasions occasions_of(const Inquiry& inquiry, const std::vector<uint32_t>& actors);

// Whether somebody else does the same work, and could be accused instead. actors: sorted.
bool has_peers(const Inquiry& inquiry, const std::vector<uint32_t>& actors);

// Calls alone run ahead, and may wait for what comes late.
bool by_kernels(const RunTables& run, const std::vector<Occasion>& occasions);

// How late a rank begins shows nothing: that depends on what it loads.
inline bool follows(const OwnSegments& own, const PathPiece& piece) {
  return own.segments[piece.arrival].before != kNoRow;
}

}  // namespace lockstep::analysis
