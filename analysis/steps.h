// Training steps without framework marks: a job repeats the same operations, so the stream of
// (communicator, function, size) of one rank has a period, and the longest pause of a period is
// where a step begins. Fills MatchRow::step; leaves it empty and says why when the stream has no
// period or is one operation over and over. Called by load_run() after matching. Linear but for a
// bounded sample.
#pragma once

#include <string>

#include "analysis/run.h"

namespace lockstep::analysis {

struct Steps {
  uint32_t period = 0;    // operations per step, 0 = none found
  uint32_t count = 0;     // of steps
  double regularity = 0;  // share of operations that repeat one period later, 0..1
  std::string not_known;  // why there is none
};

Steps find_steps(RunTables* run);

}  // namespace lockstep::analysis
