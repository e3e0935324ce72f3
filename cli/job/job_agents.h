// The agents of a run that `lockstep run` records: one on each node, as an overlapping job step or, on
// one node, as a process beside the program. They are started before the program and ended after it;
// that they cannot start, hang or die neither delays the program nor changes its exit code.
#pragma once

#include <vector>

#include "cli/job/child_process.h"
#include "cli/job/run_finish.h"

namespace lockstep::cli {

// The commands that start them, for --dry-run as well. None where another task of the step does it.
std::vector<CommandLine> agent_commands(const FinishPlan& plan);

class JobAgents {
 public:
  // Starts them and waits for nothing. Their output goes to agents/log, agents/log.1, ... in the run directory.
  JobAgents(ChildProcess& process, const FinishPlan& plan);
  // Ends them, within two seconds.
  ~JobAgents();
  JobAgents(const JobAgents&) = delete;
  JobAgents& operator=(const JobAgents&) = delete;

 private:
  ChildProcess& process_;
  std::vector<pid_t> helpers_;
};

}  // namespace lockstep::cli
