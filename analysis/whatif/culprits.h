// Whose lateness costs the job time, by what the replay (what_if.h) gains without it. Asked of every
// rank, host and communicator: the smallest set of ranks that has most of the best gain is accused and
// cured, and the question asked again, so that several culprits do not excuse each other.
//
// Noise has many authors. So a gain must be a part of the run's time that matters, far beyond what a
// rank typically has, and the occasions it comes from must fall on that set more often than chance
// lets them. One group call, or one training step where the run shows such, is one occasion.
// The cost is bounded: a set that has no excess on the critical path gains nothing and is not replayed.
#pragma once

#include <vector>

#include "analysis/follow/role_reference.h"
#include "analysis/whatif/occasions.h"
#include "analysis/whatif/what_if.h"

namespace lockstep::analysis {

struct Culprit {
  std::vector<uint32_t> actors;  // the most to blame first
  bool host = false;             // what they have in common: they are (nearly) all of a host
  int64_t gain_ns = 0;           // the run would be so much shorter
  int64_t first_ns = 0;          // the run's start,
  int64_t span_ns = 0;           // and how long it took
  double chance = 1;             // that noise alone gives anybody these occasions
  double stable = 0;             // share of runs made of this one's parts that give the same answer
  bool once = false;             // of one moment (pause.h), which chance and stable tell nothing of
  bool bout = false;             // likewise, of moments that lie in one short part of the run
  bool alone = false;            // nobody has its role: compared with itself over time
  bool hands_out = false;  // others wait for its broadcasts, and it may have had no work for them
  uint64_t rounds = 0;  // of the first of them: how often it called what it calls again and again
  std::vector<Occasion> occasions;  // in the order of time
};

struct Culprits {
  std::vector<Culprit> found;
  // Who may have had no work to hand out; and who costs most of those that are not accused because chance is not
  // excluded.
  std::vector<Culprit> suspected;
};

Culprits find_culprits(const RunTables& run, const OwnSegments& own, const Roles& roles,
                       const Excesses& excesses);

}  // namespace lockstep::analysis
