// All cells of a run, from a finest level up, in memory: what tiles are cut from. A share at the finest
// level is exact to 1/65535; above it each cell is the rounded mean of four. Some 13 bytes for each
// cell of the finest level. Read by any thread once it is complete.
#pragma once

#include <vector>

#include "analysis/pyramid/cells.h"

namespace lockstep::analysis {

class Pyramid {
 public:
  // Of lanes whose cells come later, by set().
  Pyramid(std::vector<LaneFacts> lanes, int64_t length_ns, int finest);
  // All of it at once.
  static Pyramid of(const Activity& activity, int finest);

  // Cells of the finest level for one lane, from bucket `first` on.
  void set(size_t lane, int64_t first, const Cells& cells);
  // Makes the levels above the finest, once all is set.
  void complete();

  const std::vector<LaneFacts>& lanes() const { return lanes_; }
  int64_t length_ns() const { return length_ns_; }
  int finest() const { return finest_; }
  // Of the finest level, for a lane.
  size_t buckets() const { return buckets_; }
  // level >= finest(); buckets outside the run are empty.
  Cells cells(size_t lane, int level, int64_t first, size_t count) const;

 private:
  std::vector<LaneFacts> lanes_;
  int64_t length_ns_;
  int finest_;
  size_t buckets_;
  std::vector<std::vector<Cells>> cells_;  // by level - finest_, then lane
};

// The finest level for so many operations of all lanes: one bucket for four operations of a lane, which
// keeps the files below 2 % of a recording (docs/viewer-api.md); never shorter than 1.024 ms.
int finest_level(uint64_t operations, size_t lanes, int64_t length_ns);

std::vector<LaneFacts> facts_of(const Activity& activity);

}  // namespace lockstep::analysis
