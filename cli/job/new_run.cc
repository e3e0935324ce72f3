#include "cli/job/new_run.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

namespace lockstep::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// srun numbers its steps from 0; the batch script's own step has a number near 2^32.
bool is_srun_step(const std::string& step) {
  constexpr size_t kMostDigits = 9;
  return !step.empty() && step.size() <= kMostDigits &&
         step.find_first_not_of("0123456789") == std::string::npos;
}

std::string base_name(const JobFacts& facts) {
  std::string name = "lockstep-";
  if (facts.job.empty()) {
    char date[32];
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::strftime(date, sizeof date, "%Y%m%dT%H%M%S", &utc);
    return name + this_host() + "-" + date + "-" + std::to_string(getpid());
  }
  name += facts.array_task.empty() ? facts.job : facts.array_job + "_" + facts.array_task;
  if (!facts.restart.empty() && facts.restart != "0") name += ".r" + facts.restart;
  return name;
}

Status cannot_make(const std::string& path, const std::string& why) {
  return Status::error("cannot make the run directory " + path + ": " + why +
                       "; --dir names another place");
}

}  // namespace

std::string this_host() {
  char host[HOST_NAME_MAX + 1] = {};
  return gethostname(host, sizeof host - 1) == 0 ? host : "unknown";
}

JobFacts job_facts() {
  JobFacts facts;
  facts.job = variable("SLURM_JOB_ID");
  if (facts.job.empty()) return facts;
  facts.array_job = variable("SLURM_ARRAY_JOB_ID");
  facts.array_task = variable("SLURM_ARRAY_TASK_ID");
  facts.restart = variable("SLURM_RESTART_COUNT");
  if (is_srun_step(variable("SLURM_STEP_ID"))) {
    facts.step = variable("SLURM_STEP_ID");
    facts.task = variable("SLURM_PROCID");
  }
  const auto nodes = [](const std::string& name) {
    return std::max(1, std::atoi(variable(name.c_str()).c_str()));
  };
  facts.nodes = {nodes("SLURM_JOB_NUM_NODES")};
  const int components = std::atoi(variable("SLURM_HET_SIZE").c_str());
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
  const std::string base = (real / base_name(facts)).string();
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
