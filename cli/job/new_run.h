// Where `lockstep run` records: one new directory for each start of a program, so that requeued
// jobs, array tasks, and several or concurrent steps of one job never write into each other's.
// Called once before the program starts. Removes and overwrites nothing.
#pragma once

#include <string>
#include <vector>

#include "cli/job/pbs_job.h"
#include "lockstep/status.h"

namespace lockstep::cli {

// What the launcher says about the process that runs `lockstep run`; empty: not said.
struct JobFacts {
  std::string job;         // SLURM_JOB_ID, or PBS_JOBID without its server
  std::string array_job;   // SLURM_ARRAY_JOB_ID, or PBS's
  std::string array_task;  // SLURM_ARRAY_TASK_ID, PBS_ARRAY_INDEX
  std::string restart;     // SLURM_RESTART_COUNT, empty before the first requeue
  std::string step;        // only when `lockstep run` is itself a task of an srun
  std::string task = "0";  // SLURM_PROCID of that task
  // Nodes of each component of a heterogeneous job; other jobs are one component, but each host of a PBS
  // job is one.
  std::vector<int> nodes = {1};
  std::vector<PbsHost> pbs_hosts;  // of those components; empty: no PBS job
  bool inside_step() const { return !step.empty(); }
};
JobFacts job_facts();

// lockstep-JOB[_TASK][.rRESTART] and, per job, .0, .1, ... in order of start; inside a step the
// step's own number, the same for all of its tasks; without a job lockstep-HOST-DATE-PID.
enum class NewRun {
  Make,
  NameOnly,  // the name it would get now
};
Result<std::string> new_run_directory(const std::string& parent, const JobFacts& facts,
                                      NewRun what);

}  // namespace lockstep::cli
