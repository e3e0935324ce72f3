#include "cli/job/job_step.h"

namespace lockstep::cli {
namespace {

// srun takes these from the environment of the batch script, where they describe the job's tasks,
// not one task per node.
constexpr const char* kTaskLayout[] = {
    "SLURM_NTASKS_PER_NODE", "SLURM_NTASKS",        "SLURM_NPROCS",
    "SLURM_TASKS_PER_NODE",  "SLURM_DISTRIBUTION",  "SLURM_CPU_BIND",
    "SLURM_CPUS_PER_TASK",   "SLURM_TRES_PER_TASK", "SLURM_GPUS_PER_TASK",
    "SLURM_GPUS_PER_NODE",   "SLURM_EXPORT_ENV",    "SLURM_THREADS_PER_CORE"};

}  // namespace

CommandLine on_each_node(const JobFacts& job, size_t component) {
  CommandLine command = {"env"};
  for (const char* name : kTaskLayout) command.insert(command.end(), {"-u", name});
  const std::string nodes = std::to_string(job.nodes[component]);
  // --overlap alone is not enough: without -N and -n srun takes the layout of the job's tasks.
  // A task that fails, or that ends before the others, must not end them, whatever the site says.
  command.insert(command.end(), {"srun", "-N" + nodes, "-n" + nodes, "--overlap", "--mem=0",
                                 "--gres=none", "--quiet", "--kill-on-bad-exit=0", "--wait=0"});
  if (job.nodes.size() > 1) command.push_back("--het-group=" + std::to_string(component));
  return command;
}

CommandLine on_nodes(const JobFacts& job, size_t component, const CommandLine& command,
                     const std::string& output) {
  if (!job.pbs_hosts.empty()) return on_pbs_host(job.pbs_hosts[component], command, output);
  CommandLine words = on_each_node(job, component);
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

}  // namespace lockstep::cli
