// Agents for the hosts of a run that have none, by whatever starts programs there: SLURM, ssh or kubectl.
// The own host needs none. Main thread.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "cli/job/child_process.h"
#include "live/registry/registration.h"
#include "lockstep/status.h"

namespace lockstep::cli {

enum class Orchestrator { Slurm, Ssh, Kubectl };
constexpr const char* kOrchestratorNames[] = {"slurm", "ssh", "kubectl"};

// By its name; empty: SLURM for a job of it (`job`, or that of the environment), kubectl in a pod, else ssh.
// Nothing for another name.
std::optional<Orchestrator> orchestrator_of(const std::string& name, const std::string& job);

// What starts agents of this run on these hosts; a host is a node, a name for ssh, a pod.
std::vector<CommandLine> commands_for_agents(Orchestrator orchestrator, const std::string& job,
                                             const std::string& run,
                                             const std::vector<std::string>& hosts);

// The agents that these commands start. Those by SLURM and kubectl end with this object, or with this
// process; those by ssh with the job.
class StartedAgents {
 public:
  // Waits until all hosts have registered, or `patience_s` after the last command has ended; the caller
  // sees who has not. A command that goes on has 30 s.
  StartedAgents(const std::vector<CommandLine>& commands, std::string run,
                const std::vector<std::string>& hosts, double patience_s);
  // An ended srun kills its step, so that agents cannot take back that they are to be asked: this does.
  ~StartedAgents();
  StartedAgents(const StartedAgents&) = delete;
  StartedAgents& operator=(const StartedAgents&) = delete;

 private:
  const std::string run_;
  std::vector<pid_t> helpers_;
  std::vector<live::Registration> steps_;  // of SLURM
};

}  // namespace lockstep::cli
