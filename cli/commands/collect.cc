// `lockstep collect LOCAL --to DIR`: the recordings of this node, from its own disk into the run
// directory that all nodes see.
#include <filesystem>
#include <memory>

#include "base/system.h"
#include "cli/commands.h"
#include "cli/job/collection.h"
#include "cli/job/new_run.h"
#include "cli/job/run_marker.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

struct CollectArguments {
  std::string local, directory;
};

// The output of all nodes may come together: each line says whose it is.
int run(const CollectArguments& arguments) {
  std::error_code error;
  // For the epilog, should this process be killed.
  const RunMarker marker(job_facts().job,
                         std::filesystem::absolute(arguments.directory, error).string());
  const auto collected = collect_recordings(arguments.local, arguments.directory);
  if (!collected.ok()) return bad_input(this_host() + ": " + collected.message());
  print(this_host() + ": " + collected.value() + "\n");
  return kOk;
}

}  // namespace

void add_collect(base::Command& lockstep) {
  const auto arguments = std::make_shared<CollectArguments>();
  base::Command command = lockstep.command(
      "collect", "Move this node's recordings from its own disk to the run directory",
      [arguments] { return run(*arguments); });
  command.option("LOCAL", &arguments->local, "The folder that LOCKSTEP_DIR named on this node")
      .required();
  command.option("--to", &arguments->directory, "The run directory on a shared file system")
      .required()
      .shown_as("DIR");
}

}  // namespace lockstep::cli
