// Training steps as the program marked them. Fills OperationRow::step by the time of the call, on the
// process's own clock, and MatchRow::step by the first of its operations that has one. Called by
// load_run() after matching; where no process marks steps, find_steps() (steps.h) looks for them.
#pragma once

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// False: no process of the run marked a step.
bool number_marked_steps(RunTables* run);
// Operations of processes that marked no step get that of their match.
void number_operations_by_match(RunTables* run);

}  // namespace lockstep::analysis
