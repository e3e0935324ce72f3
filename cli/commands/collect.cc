// `lockstep collect LOCAL --to DIR`: the recordings of this node, from its own disk into the run
// directory that all nodes see; with --agents those of other nodes, over their agents, into one here.
#include <filesystem>
#include <memory>

#include "base/system.h"
#include "cli/commands.h"
#include "cli/job/collection.h"
#include "cli/job/new_run.h"
#include "cli/job/run_marker.h"
#include "cli/live/host_collection.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

struct CollectArguments : LiveArguments {  // RUN: the folder on this node
  std::string directory;
};

constexpr double kFileTimeoutS = 600;

int collect_over_agents(const CollectArguments& arguments) {
  const auto collected = collect_from_hosts(arguments, arguments.directory);
  if (!collected.ok()) return bad_input(collected.message());
  const live::Answers& answers = collected.value().answers;
  return print_live(arguments, answers, "collected", all_rows(answers), collected.value().text);
}

// The output of all nodes may come together: each line says whose it is.
int collect_here(const CollectArguments& arguments) {
  std::error_code error;
  // For the epilog, should this process be killed.
  const RunMarker marker(job_facts().job,
                         std::filesystem::absolute(arguments.directory, error).string());
  const auto collected = collect_recordings(arguments.run, arguments.directory);
  if (!collected.ok()) return bad_input(this_host() + ": " + collected.message());
  print(this_host() + ": " + collected.value() + "\n");
  return kOk;
}

int run(const CollectArguments& arguments) {
  const int wrong = check_live_arguments(arguments);
  if (wrong != kOk) return wrong;
  if (arguments.run.empty()) return collect_over_agents(arguments);
  if (arguments.json) return bad_usage("--json goes with --agents");
  return collect_here(arguments);
}

}  // namespace

void add_collect(base::Command& lockstep) {
  const auto arguments = std::make_shared<CollectArguments>();
  arguments->timeout_s = kFileTimeoutS;
  base::Command command =
      lockstep.command("collect", "Move recordings from nodes' own disks to the run directory",
                       [arguments] { return run(*arguments); });
  command.option("LOCAL", &arguments->run, "The folder that LOCKSTEP_DIR named on this node");
  command.option("--to", &arguments->directory, "The run directory").required().shown_as("DIR");
  add_live_options(command, arguments.get());
}

}  // namespace lockstep::cli
