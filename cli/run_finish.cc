#include "cli/run_finish.h"

#include <filesystem>

#include "cli/output.h"

namespace lockstep::cli {
namespace {

// A job step can wait for a node that does not answer; then the epilog has to do it.
constexpr double kRecoverLimitS = 120;
constexpr double kStepLimitS = 1800;
constexpr double kSnapshotLimitS = 60;

// srun takes these from the environment of the batch script, where they describe the job's tasks,
// not one task per node.
constexpr const char* kTaskLayout[] = {
    "SLURM_NTASKS_PER_NODE", "SLURM_NTASKS",        "SLURM_NPROCS",
    "SLURM_TASKS_PER_NODE",  "SLURM_DISTRIBUTION",  "SLURM_CPU_BIND",
    "SLURM_CPUS_PER_TASK",   "SLURM_TRES_PER_TASK", "SLURM_GPUS_PER_TASK",
    "SLURM_GPUS_PER_NODE",   "SLURM_EXPORT_ENV",    "SLURM_THREADS_PER_CORE"};

CommandLine recover_command(const FinishPlan& plan) {
  const CommandLine here = {this_command(), "recover", plan.directory};
  if (plan.job.inside_step() || plan.job.job.empty() || plan.job.nodes == 1) return here;
  CommandLine command = {"env"};
  for (const char* name : kTaskLayout) command.insert(command.end(), {"-u", name});
  const std::string nodes = std::to_string(plan.job.nodes);
  // --overlap alone is not enough: without -N and -n srun takes the layout of the job's tasks.
  command.insert(command.end(), {"srun", "-N" + nodes, "-n" + nodes, "--overlap", "--mem=0",
                                 "--gres=none", "--quiet"});
  command.insert(command.end(), here.begin(), here.end());
  return command;
}

CommandLine top_option(const FinishPlan& plan) {
  if (plan.top == 0) return {};
  return {"--top", std::to_string(plan.top)};
}

bool has_segments(const std::string& directory) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (entry.path().extension() == ".lks") return true;
  }
  return false;
}

}  // namespace

std::string this_command() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "lockstep" : path.string();
}

std::vector<FinishStep> finish_steps(const FinishPlan& plan) {
  const std::string summary = plan.directory + "/summary/";
  std::vector<FinishStep> steps;
  steps.push_back({recover_command(plan), summary + "recover.txt",
                   "what killed processes left on other nodes is recovered by `lockstep recover` "
                   "there, or by the epilog in slurm/"});
  // Of several tasks of a step the first answers for all.
  if (plan.job.task != "0") return steps;
  const std::string self = this_command();
  const auto ask = [&](const char* what, const char* to, const char* otherwise) {
    steps.push_back({{self, what, plan.directory}, summary + to, otherwise, true});
  };
  ask("align", "align.txt", "times of several hosts stay on their own clocks");
  ask("verify", "verify.txt", "nothing is known about completeness");
  ask("info", "info.txt", "");
  ask("count", "count.txt", "");
  ask("diagnose", "diagnose.txt", "");
  ask("report", "report.txt", "`lockstep report` can be run again by hand");
  const CommandLine top = top_option(plan);
  steps.back().command.insert(steps.back().command.end(), top.begin(), top.end());
  return steps;
}

void finish_run(ChildProcess& process, const FinishPlan& plan) {
  std::error_code error;
  std::filesystem::create_directories(plan.directory + "/summary", error);
  for (const FinishStep& step : finish_steps(plan)) {
    const bool recovers = !step.may_find;
    if (!recovers && !has_segments(plan.directory))
      return complain(
          "the program recorded nothing: it did not start NCCL, or NCCL did not see "
          "NCCL_PROFILER_PLUGIN (NCCL_DEBUG=INFO tells)");
    const int code =
        process.run_helper(step.command, step.to, recovers ? kRecoverLimitS : kStepLimitS);
    if (code == 0 || (step.may_find && code == 1)) continue;
    complain("`" + shown(step.command) + "` " +
             (code < 0 ? "took too long" : "ended with " + std::to_string(code)) + " (" + step.to +
             ")" + (step.otherwise.empty() ? "" : "; " + step.otherwise));
    // The job may be over, and no step can start any more: this node at least.
    if (recovers && step.command[0] == "env")
      process.run_helper({this_command(), "recover", plan.directory}, step.to, kRecoverLimitS);
  }
}

void take_snapshot(ChildProcess& process, const FinishPlan& plan) {
  CommandLine command = {this_command(), "report", plan.directory, "--snapshot"};
  const CommandLine top = top_option(plan);
  command.insert(command.end(), top.begin(), top.end());
  if (process.run_helper(command, "", kSnapshotLimitS) != 0)
    complain("no snapshot this time: `" + shown(command) + "` failed");
}

}  // namespace lockstep::cli
