#include "cli/job/new_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "base/clock_ns.h"
#include "base/launcher.h"
#include "base/system.h"

namespace lockstep::cli {
namespace {

// srun numbers its steps from 0; the batch script's own step has a number near 2^32.
bool is_srun_step(const std::string& step) {
  constexpr size_t kMostDigits = 9;
  return !step.empty() && step.size() <= kMostDigits &&
         step.find_first_not_of("0123456789") == std::string::npos;
}

std::string run_name(const JobFacts& facts) {
  std::string name = "lockstep-";
  if (facts.job.empty()) {
    return name + this_host() + "-" + utc_text("%Y%m%dT%H%M%S", real_now_ns()) + "-" +
           std::to_string(getpid());
  }
  name += facts.array_task.empty() ? facts.job : facts.array_job + "_" + facts.array_task;
  if (!facts.restart.empty() && facts.restart != "0") name += ".r" + facts.restart;
  return name;
}

Status cannot_make(const std::string& path, const std::string& why) {
  return Status::error("cannot make the run directory " + path + ": " + why +
                       "; --dir names another place");
}

// PBS names jobs 1234.server, and 1234[7].server those of an array.
JobFacts pbs_facts(const Variables& variables) {
  JobFacts facts;
  const std::string id = launch_fact(LaunchFact::Job, variables, Launcher::Pbs);
  const std::string job = id.substr(0, id.find('.'));
  const std::string array = job.substr(0, job.find('['));
  if (array.empty() || array.find_first_not_of("0123456789") != std::string::npos) return facts;
  facts.job = array;
  if (array != job) {
    facts.array_job = array;
    facts.array_task = launch_fact(LaunchFact::ArrayTask, variables, Launcher::Pbs);
    facts.job += "_" + facts.array_task;
  }
  facts.pbs_hosts = pbs_hosts(variables("PBS_NODEFILE"));
  if (!facts.pbs_hosts.empty()) facts.nodes.assign(facts.pbs_hosts.size(), 1);
  return facts;
}

}  // namespace

JobFacts job_facts() {
  JobFacts facts;
  const Variables variables = process_variables();
  const auto slurm = [&](LaunchFact fact) { return launch_fact(fact, variables, Launcher::Slurm); };
  facts.job = slurm(LaunchFact::Job);
  if (facts.job.empty()) return pbs_facts(variables);
  facts.array_job = slurm(LaunchFact::ArrayJob);
  facts.array_task = slurm(LaunchFact::ArrayTask);
  facts.restart = slurm(LaunchFact::Restart);
  if (is_srun_step(slurm(LaunchFact::Step))) {
    facts.step = slurm(LaunchFact::Step);
    facts.task = slurm(LaunchFact::Rank);
  }
  const auto nodes = [&](const std::string& name) {
    return std::max(1, std::atoi(variables(name.c_str()).c_str()));
  };
  facts.nodes = {nodes("SLURM_JOB_NUM_NODES")};
  const int components = std::atoi(variables("SLURM_HET_SIZE").c_str());
  for (int i = 1; i < components; ++i)
    facts.nodes.push_back(nodes("SLURM_JOB_NUM_NODES_HET_GROUP_" + std::to_string(i)));
  return facts;
}

Result<std::string> new_run_directory(const std::string& parent, const JobFacts& facts,
                                      NewRun what) {
  const bool make = what == NewRun::Make;
  std::error_code error;
  if (make) std::filesystem::create_directories(parent, error);
  if (error) return cannot_make(parent, error.message());
  const std::filesystem::path real = std::filesystem::absolute(parent, error).lexically_normal();
  if (error) return cannot_make(parent, error.message());
  const std::string base = (real / run_name(facts)).string();
  if (facts.inside_step()) {
    const std::string path = base + ".step" + facts.step;
    if (make && mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
      return cannot_make(path, std::strerror(errno));
    return path;
  }
  constexpr int kMostRuns = 1000000;
  for (int run = 0; run < kMostRuns; ++run) {
    const std::string path =
        facts.job.empty() && run == 0 ? base : base + "." + std::to_string(run);
    if (!make && access(path.c_str(), F_OK) != 0) return path;
    if (make && mkdir(path.c_str(), 0700) == 0) return path;
    if (make && errno != EEXIST) return cannot_make(path, std::strerror(errno));
  }
  return cannot_make(base, "too many runs of this name");
}

}  // namespace lockstep::cli
