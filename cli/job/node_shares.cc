#include "cli/job/node_shares.h"

#include <unistd.h>

#include <filesystem>

#include "cli/job/job_step.h"
#include "cli/job/run_finish.h"

namespace lockstep::cli {

Result<std::unique_ptr<NodeShares>> NodeShares::create(const std::string& directory,
                                                       const std::string& beside) {
  std::unique_ptr<NodeShares> shares(new NodeShares);
  shares->job_ = job_facts();
  if (shares->job_.job.empty() || shares->job_.inside_step() || !shares->job_.pbs_hosts.empty()) {
    return Status::error(
        "--srun starts a SLURM job step, so it belongs into a batch script or under salloc; "
        "without it "
        "this machine does all of the work");
  }
  std::error_code error;
  shares->directory_ = std::filesystem::absolute(directory, error).string();
  const std::string parts = std::filesystem::absolute(beside, error).lexically_normal().string() +
                            ".parts-" + std::to_string(getpid());
  if (!std::filesystem::create_directories(parts, error))
    return Status::error("cannot make " + parts + ": " + (error ? error.message() : "it is there"));
  shares->parts_ = parts;
  return shares;
}

NodeShares::~NodeShares() {
  std::error_code ignored;
  if (!parts_.empty()) std::filesystem::remove_all(parts_, ignored);
}

Status NodeShares::processes() { return step("processes"); }
Status NodeShares::details(const std::string& format) { return step(format); }

Status NodeShares::step(const std::string& what) {
  CommandLine command = on_each_node(job_, 0);
  command.insert(command.end(), {this_command(), "part", directory_, parts_, what});
  ChildProcess process;
  const int code = process.run_program(command, 0, {}, {});
  if (code == 0) return {};
  return Status::error("`" + shown(command) + "` ended with " + std::to_string(code));
}

}  // namespace lockstep::cli
