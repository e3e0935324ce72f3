#include "cli/capture/orchestrator.h"

#include <sys/stat.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <utility>

#include "base/clock_ns.h"
#include "cli/job/job_step.h"
#include "cli/job/run_finish.h"

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

StartedAgents::StartedAgents(const std::vector<CommandLine>& commands, std::string run,
                             const std::vector<std::string>& hosts, double patience_s)
    : run_(std::move(run)) {
  constexpr double kLoginPatienceS = 30;  // `lockstep agents start` gives each login 20 s
  constexpr timespec kPoll = {0, 50'000'000};
  const std::string folder = run_ + "/agents";
  mkdir(folder.c_str(), 0700);
  bool are_steps = false;
  {
    const ChildProcess process;
    for (const CommandLine& command : commands) {
      const bool is_step = std::find(command.begin(), command.end(), "srun") != command.end();
      helpers_.push_back(process.start_helper(command, folder + "/log"));
      are_steps = are_steps || is_step;
    }
  }
  const auto ns_from_now = [](double s) { return mono_now_ns() + static_cast<int64_t>(s * 1e9); };
  int64_t end_ns = ns_from_now(std::max(kLoginPatienceS, patience_s));
  bool are_starting = true;
  auto registered = live::read_registrations(run_);
  const auto all_there = [&] {
    registered = live::read_registrations(run_);
    return std::all_of(hosts.begin(), hosts.end(),
                       [&](const std::string& host) { return registered.count(host) != 0; });
  };
  while (!all_there() && mono_now_ns() < end_ns) {
    if (are_starting && std::all_of(helpers_.begin(), helpers_.end(), ChildProcess::has_ended)) {
      are_starting = false;
      end_ns = std::min(end_ns, ns_from_now(patience_s));
    }
    nanosleep(&kPoll, nullptr);
  }
  for (const std::string& host : hosts) {
    const auto found = registered.find(host);
    if (are_steps && found != registered.end()) steps_.push_back(found->second);
  }
}

StartedAgents::~StartedAgents() {
  constexpr double kEndLimitS = 5;
  const ChildProcess process;
  for (const pid_t helper : helpers_) {
    if (helper > 0) process.end_helper(helper, kEndLimitS);
  }
  for (const live::Registration& registration : steps_)
    live::remove_registration(run_, registration);
}

}  // namespace lockstep::cli
