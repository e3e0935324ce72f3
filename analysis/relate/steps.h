// Training steps without framework marks: a job repeats the same operations, so the stream of
// (communicator, function, size) of one rank has a period, and the longest pause of a period is
// where a step begins. Fills MatchRow::step; leaves it empty when the stream has no period or is
// one operation over and over. The rank with the most operations is numbered first, the others by the
// operations that they share with it, or with one that shares some: by order, for ranks call ahead of
// each other by several steps. Called by load_run() after matching. Linear but for a bounded sample.
#pragma once

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

void find_steps(RunTables* run);

}  // namespace lockstep::analysis
