// A SLURM job step with one task on each node of the job, for what has to be done where the data
// lie: recovery, collecting, conversions.
#pragma once

#include "cli/job/child_process.h"
#include "cli/job/new_run.h"

namespace lockstep::cli {

// The words to put before a command. `component`: of a heterogeneous job, 0 in others.
CommandLine on_each_node(const JobFacts& job, size_t component);

}  // namespace lockstep::cli
