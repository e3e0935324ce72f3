// `lockstep part DIR PARTS WHAT`: one node's share of `export --srun` and `report --srun`.
#include <cstdlib>
#include <memory>

#include "analysis/export/node_share.h"
#include "cli/commands.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

constexpr const char* kProcesses = "processes";

struct PartArguments {
  std::string what;
  analysis::NodeShare share;
};

size_t number(const char* variable, size_t otherwise) {
  const char* value = std::getenv(variable);
  return value == nullptr ? otherwise : std::strtoull(value, nullptr, 10);
}

int run(PartArguments arguments) {
  arguments.share.node = number("SLURM_PROCID", 0);
  arguments.share.nodes = number("SLURM_NTASKS", 1);
  const Status done = arguments.what == kProcesses
                          ? analysis::share_of_processes(arguments.share)
                          : analysis::share_of_details(arguments.share, arguments.what);
  return done.ok() ? kOk : bad_input(done.message());
}

}  // namespace

void add_part(base::Command& lockstep) {
  const auto arguments = std::make_shared<PartArguments>();
  base::Command command =
      lockstep.command("part", "Do one node's share of `export --srun` and `report --srun`",
                       [arguments] { return run(*arguments); });
  command.option("DIR", &arguments->share.directory, "The run directory").required();
  command.option("PARTS", &arguments->share.parts, "Folder that all nodes see").required();
  command
      .option("WHAT", &arguments->what,
              "processes, or the format whose streamed tables are written")
      .required();
}

}  // namespace lockstep::cli
