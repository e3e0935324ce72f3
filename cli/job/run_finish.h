// What `lockstep run` does after the program: recover what killed processes left on every node of
// the job, collect what the nodes have on their own disks, align the clocks, write the summary.
// Each part may fail without keeping the next from running; a failure is one sentence on stderr and
// never changes the program's exit code.
#pragma once

#include <string>

#include "cli/job/child_process.h"
#include "cli/job/new_run.h"

namespace lockstep::cli {

struct FinishPlan {
  std::string directory;
  std::string local;  // of --node-local; empty: processes write to `directory` itself
  JobFacts job;
  int top = 0;  // rows in the report's lists; 0: its default
};

// The commands, for --dry-run as well; `to` is the file in the run directory their output goes to.
struct FinishStep {
  CommandLine command;
  std::string to;
  std::string otherwise;  // said when the command fails
  bool may_find = false;  // exit code 1 is an answer, not a failure
};
std::vector<FinishStep> finish_steps(const FinishPlan& plan);

void finish_run(ChildProcess& process, const FinishPlan& plan);

// Its second part: everything but recovery and collecting.
void write_answers(ChildProcess& process, const FinishPlan& plan);

// The report of what there is while the program runs, into summary/TIME.
void take_snapshot(ChildProcess& process, const FinishPlan& plan);

}  // namespace lockstep::cli
