// The `--srun` of export and report: a job step on every node of the SLURM job reads and joins the
// processes of some hosts (`lockstep part`), and what they leave in a folder of parts is merged
// here. The folder lies where the output will, which all nodes see, and goes with the object.
#pragma once

#include <memory>
#include <string>

#include "cli/job/new_run.h"
#include "lockstep/status.h"

namespace lockstep::cli {

class NodeShares {
 public:
  // Without a job there is nothing to spread over; the error says so.
  static Result<std::unique_ptr<NodeShares>> create(const std::string& directory,
                                                    const std::string& beside);
  ~NodeShares();
  NodeShares(const NodeShares&) = delete;
  NodeShares& operator=(const NodeShares&) = delete;

  // For LoadOptions::parts, and for ExportOptions::details after details().
  const std::string& parts() const { return parts_; }

  // An error is that of a task, which has printed it to stderr.
  Status processes();
  Status details(const std::string& format);

 private:
  NodeShares() = default;
  Status step(const std::string& what);

  JobFacts job_;
  std::string directory_, parts_;
};

}  // namespace lockstep::cli
