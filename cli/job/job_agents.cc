#include "cli/job/job_agents.h"

#include <sys/stat.h>

#include <string>

#include "base/launcher.h"
#include "cli/job/job_step.h"
#include "cli/show/output.h"
#include "live/registry/registration.h"

namespace lockstep::cli {
namespace {

constexpr double kEndLimitS = 2;

// A file for each command, since each writes from its beginning.
std::string log_of(const FinishPlan& plan, size_t command) {
  return plan.directory + "/agents/log" + (command == 0 ? "" : "." + std::to_string(command));
}

// What ssh started stays when ssh is ended.
bool ends_with_us(const JobFacts& job) {
  return job.nodes == std::vector<int>{1} || job.pbs_hosts.empty() || has_pbsdsh();
}

CommandLine agent_here(const FinishPlan& plan) {
  // Then it ends with the program, not when no process records for a while.
  CommandLine command = {this_command(), "agent", plan.directory};
  if (ends_with_us(plan.job)) command.emplace_back("--stay");
  if (!plan.local.empty()) command.insert(command.end(), {"--records", plan.local});
  return command;
}

// Of the tasks of a step on one node.
bool is_first_of_node() {
  const std::string local =
      launch_fact(LaunchFact::LocalRank, process_variables(), Launcher::Slurm);
  return local.empty() || local == "0";
}

}  // namespace

std::vector<CommandLine> agent_commands(const FinishPlan& plan) {
  const JobFacts& job = plan.job;
  if (job.inside_step())
    return is_first_of_node() ? std::vector<CommandLine>{agent_here(plan)}
                              : std::vector<CommandLine>{};
  if (job.job.empty() || job.nodes == std::vector<int>{1}) return {agent_here(plan)};
  std::vector<CommandLine> commands;
  for (size_t i = 0; i < job.nodes.size(); ++i) {
    commands.push_back(on_nodes(job, i, agent_here(plan), log_of(plan, i)));
  }
  return commands;
}

JobAgents::JobAgents(ChildProcess& process, const FinishPlan& plan) : process_(process) {
  const std::vector<CommandLine> commands = agent_commands(plan);
  if (commands.empty()) return;
  const std::string folder = plan.directory + "/agents";
  mkdir(folder.c_str(), 0700);
  for (size_t i = 0; i < commands.size(); ++i) {
    const pid_t helper = process_.start_helper(commands[i], log_of(plan, i));
    if (helper > 0) helpers_.push_back(helper);
  }
  if (plan.job.task == "0")
    complain("an agent on each node answers `lockstep ps " + plan.directory +
             "` and the like; it listens on TCP for whoever has " +
             live::run_key_path(plan.directory) + " (--no-agents: none)");
}

JobAgents::~JobAgents() {
  for (const pid_t helper : helpers_) process_.end_helper(helper, kEndLimitS);
}

}  // namespace lockstep::cli
