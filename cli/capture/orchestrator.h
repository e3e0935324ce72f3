// Agents for the hosts of a run that have none, by whatever starts programs there: SLURM, ssh or kubectl.
// The own host needs none. Main thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/job/child_process.h"
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

// Starts them and waits until all hosts have registered, or so long; the caller sees who has not. Agents
// by SLURM and kubectl end with this process, those by ssh with the job.
void start_agents(const std::vector<CommandLine>& commands, const std::string& run,
                  const std::vector<std::string>& hosts, double patience_s);

}  // namespace lockstep::cli
