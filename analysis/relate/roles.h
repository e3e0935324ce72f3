// What each communicator is for: tensor, pipeline, data or expert parallelism, from its name where a framework gave
// it one that says so, else from its members and what they call. NCCL knows nothing of it, so it is a guess,
// and role_reason says what it rests on. What fits no pattern stays unknown. Called by Relating once the
// operations are matched and groups assembled; linear in the operations.
#pragma once

#include <string>

#include "analysis/tables/run_tables.h"

namespace lockstep::analysis {

// Of a name such as "tp", "mesh_dp" or "TENSOR_MODEL_PARALLEL_GROUP"; Unknown where it names no role, or
// several.
CommRole role_of_name(const std::string& name);

// Fills role and role_reason of run.communicators.
void guess_roles(RunTables* run);

}  // namespace lockstep::analysis
