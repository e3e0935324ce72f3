// All-to-all, gather and scatter put together from the sends and receives that NCCL makes of them:
// those of one group call on one communicator. An all-to-all shows in every rank's group; gather
// and scatter show only in the root's, and the others are known by their partner. Adds rows of kind
// Assembled to run.operations (keeping its order) and points the parts at them. Called by
// load_run() before matching; a run without sends and receives is left alone.
#pragma once

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

template <typename Row = OperationRow>
bool assemble_groups(RunTables* run);

}  // namespace lockstep::analysis
