// A command on each node of the job, for what has to be done where the data lie: recovery, collecting, agents,
// conversions. Under SLURM it is a job step with one task on each node.
#pragma once

#include "cli/job/child_process.h"
#include "cli/job/new_run.h"

namespace lockstep::cli {

// The words to put before a command in a SLURM job. `component`: of a heterogeneous job, 0 in others.
CommandLine on_each_node(const JobFacts& job, size_t component);

// The command on the nodes of a component of a SLURM or PBS job. `output`: where a node writes what it prints when
// nobody carries it here.
CommandLine on_nodes(const JobFacts& job, size_t component, const CommandLine& command,
                     const std::string& output);

}  // namespace lockstep::cli
