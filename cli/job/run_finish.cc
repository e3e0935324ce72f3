#include "cli/job/run_finish.h"

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include "cli/commands.h"
#include "cli/job/job_step.h"
#include "cli/job/snapshot_clock.h"
#include "cli/show/output.h"
#include "dumper/run/run_directory.h"

namespace lockstep::cli {
namespace {

// A job step can wait for a node that does not answer; then the epilog has to do it.
constexpr double kRecoverLimitS = 120;
constexpr double kStepLimitS = 1800;
constexpr double kSnapshotLimitS = 60;

// Collecting recovers first.
CommandLine recover_here(const FinishPlan& plan) {
  if (plan.local.empty()) return {this_command(), "recover", plan.directory};
  return {this_command(), "collect", plan.local, "--to", plan.directory};
}

std::vector<FinishStep> recover_steps(const FinishPlan& plan) {
  const CommandLine recover = recover_here(plan);
  const JobFacts& job = plan.job;
  const bool here = job.inside_step() || job.job.empty() || job.nodes == std::vector<int>{1};
  std::vector<FinishStep> steps;
  for (size_t i = 0; i < (here ? 1 : job.nodes.size()); ++i) {
    FinishStep step;
    step.to =
        plan.directory + "/summary/recover" + (i == 0 ? "" : "." + std::to_string(i)) + ".txt";
    step.command = here ? recover : on_nodes(job, i, recover, step.to);
    step.otherwise = plan.local.empty()
                         ? "what killed processes left on other nodes is recovered by `lockstep "
                           "finish` there, or by the epilog in slurm/"
                         : "what it could not collect stays in " + plan.local +
                               " of its node; `lockstep finish " + plan.directory +
                               "` there goes on";
    steps.push_back(std::move(step));
  }
  return steps;
}

CommandLine top_option(const FinishPlan& plan) {
  if (plan.top == 0) return {};
  return {"--top", std::to_string(plan.top)};
}

std::vector<FinishStep> answer_steps(const FinishPlan& plan) {
  const std::string summary = plan.directory + "/summary/";
  const std::string self = this_command();
  std::vector<FinishStep> steps;
  const auto ask = [&](const char* what, const char* to, const char* otherwise) {
    steps.push_back({{self, what, plan.directory}, summary + to, otherwise, true});
  };
  ask("align", "align.txt", "times of several hosts stay on their own clocks");
  ask("verify", "verify.txt", "nothing is known about completeness");
  ask("info", "info.txt", "");
  ask("count", "count.txt", "");
  ask("diagnose", "diagnose.txt", "");
  ask("report", "report.txt", "`lockstep report` can be run again by hand");
  CommandLine& report = steps.back().command;
  report.push_back("--force");
  const CommandLine top = top_option(plan);
  report.insert(report.end(), top.begin(), top.end());
  return steps;
}

int judged(const FinishStep& step, int code) {
  if (code == 0 || (step.may_find && code == 1)) return code;
  complain("`" + shown(step.command) + "` " +
           (code < 0 ? "took too long" : "ended with " + std::to_string(code)) + " (" + step.to +
           ")" + (step.otherwise.empty() ? "" : "; " + step.otherwise));
  return code;
}

// What was answered before stays until the new answer is whole: several nodes' epilogs may come one
// after the other, and somebody may be reading.
int run_answer(ChildProcess& process, const FinishStep& step) {
  const std::string part = step.to + "." + std::to_string(getpid()) + ".part";
  const int code = judged(step, process.run_helper(step.command, part, kStepLimitS));
  std::rename(part.c_str(), step.to.c_str());
  return code;
}

// On all nodes at the same time.
std::vector<int> run_at_once(const ChildProcess& process, const std::vector<FinishStep>& steps,
                             double limit_s) {
  std::vector<CommandLine> commands;
  std::vector<std::string> outputs;
  for (const FinishStep& step : steps) {
    commands.push_back(step.command);
    outputs.push_back(step.to);
  }
  std::vector<int> codes = process.run_helpers(commands, outputs, limit_s);
  for (size_t i = 0; i < steps.size(); ++i) codes[i] = judged(steps[i], codes[i]);
  return codes;
}

}  // namespace

std::vector<FinishStep> finish_steps(const FinishPlan& plan) {
  std::vector<FinishStep> steps = recover_steps(plan);
  // Of several tasks of a step the first answers for all.
  if (plan.job.task != "0") return steps;
  for (FinishStep& step : answer_steps(plan)) steps.push_back(std::move(step));
  return steps;
}

void finish_run(ChildProcess& process, const FinishPlan& plan) {
  std::error_code error;
  std::filesystem::create_directories(plan.directory + "/summary", error);
  const double limit_s = plan.local.empty() ? kRecoverLimitS : kStepLimitS;
  const std::vector<FinishStep> steps = recover_steps(plan);
  const std::vector<int> codes = run_at_once(process, steps, limit_s);
  for (size_t i = 0; i < steps.size(); ++i) {
    // Not our command's own failure: the job may be over, and no step can start any more. This node
    // at least.
    if (codes[i] == 0 || codes[i] == kBadInput || steps[i].command[0] == this_command()) continue;
    process.run_helper(recover_here(plan), steps[i].to, limit_s);
    break;
  }
  if (plan.job.task == "0") write_answers(process, plan);
}

void write_answers(ChildProcess& process, const FinishPlan& plan) {
  if (!dumper::has_segments(plan.directory))
    return complain(
        "the program recorded nothing: it did not start NCCL, or NCCL did not see "
        "NCCL_PROFILER_PLUGIN (NCCL_DEBUG=INFO tells)");
  for (const FinishStep& step : answer_steps(plan)) run_answer(process, step);
}

void take_snapshot(ChildProcess& process, const FinishPlan& plan) {
  if (!dumper::has_segments(plan.directory)) return;  // the program has not come to its first dump
  CommandLine command = snapshot_command(plan.directory);
  const CommandLine top = top_option(plan);
  command.insert(command.end(), top.begin(), top.end());
  const int code = process.run_helper(command, "", kSnapshotLimitS);
  if (code != kOk && code != kFinding)
    complain("no snapshot this time: `" + shown(command) + "` failed");
}

}  // namespace lockstep::cli
