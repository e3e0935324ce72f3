#include "cli/capture/orchestrator.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "base/clock_ns.h"
#include "cli/job/job_step.h"
#include "cli/job/run_finish.h"
#include "live/registry/registration.h"

namespace lockstep::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string job_id(const std::string& job) { return job.empty() ? variable("SLURM_JOB_ID") : job; }

std::string joined(const std::vector<std::string>& hosts) {
  std::string list;
  for (const std::string& host : hosts) list += (list.empty() ? "" : ",") + host;
  return list;
}

CommandLine job_step(const std::string& job, const std::string& run,
                     const std::vector<std::string>& hosts) {
  JobFacts facts;
  facts.nodes = {static_cast<int>(hosts.size())};
  CommandLine command = on_each_node(facts, 0);
  if (!job_id(job).empty()) command.push_back("--jobid=" + job_id(job));
  command.insert(command.end(), {"--nodelist=" + joined(hosts), this_command(), "agent", run});
  return command;
}

}  // namespace

std::optional<Orchestrator> orchestrator_of(const std::string& name, const std::string& job) {
  if (name.empty()) {
    if (!job_id(job).empty()) return Orchestrator::Slurm;
    return variable("KUBERNETES_SERVICE_HOST").empty() ? Orchestrator::Ssh : Orchestrator::Kubectl;
  }
  const auto* const found =
      std::find(std::begin(kOrchestratorNames), std::end(kOrchestratorNames), name);
  if (found == std::end(kOrchestratorNames)) return std::nullopt;
  return static_cast<Orchestrator>(found - std::begin(kOrchestratorNames));
}

std::vector<CommandLine> commands_for_agents(Orchestrator orchestrator, const std::string& job,
                                             const std::string& run,
                                             const std::vector<std::string>& hosts) {
  switch (orchestrator) {
    case Orchestrator::Slurm:
      return {job_step(job, run, hosts)};
    case Orchestrator::Ssh:
      return {{this_command(), "agents", "start", run, "--hosts", joined(hosts)}};
    case Orchestrator::Kubectl:
      break;
  }
  std::vector<CommandLine> commands;
  for (const std::string& host : hosts)  // the command as it is installed in the pod
    commands.push_back({"kubectl", "exec", host, "--", "lockstep", "agent", run});
  return commands;
}

void start_agents(const std::vector<CommandLine>& commands, const std::string& run,
                  const std::vector<std::string>& hosts, double patience_s) {
  const std::string folder = run + "/agents";
  mkdir(folder.c_str(), 0700);
  {
    const ChildProcess process;
    for (const CommandLine& command : commands)
      static_cast<void>(process.start_helper(command, folder + "/log"));
  }
  const int64_t end_ns = mono_now_ns() + static_cast<int64_t>(patience_s * 1e9);
  const auto all_there = [&] {
    const auto registered = live::read_registrations(run);
    return std::all_of(hosts.begin(), hosts.end(),
                       [&](const std::string& host) { return registered.count(host) != 0; });
  };
  constexpr timespec kPoll = {0, 50'000'000};
  while (!all_there() && mono_now_ns() < end_ns) nanosleep(&kPoll, nullptr);
}

}  // namespace lockstep::cli
