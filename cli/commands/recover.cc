// `lockstep recover DIR` and `lockstep recover --all`: what killed processes left becomes segments.
#include "dumper/recovery/recover.h"

#include <memory>

#include "base/json.h"
#include "cli/commands.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

using Outcome = dumper::RecoveredProcess::Outcome;

struct RecoverArguments {
  std::string directory;
  bool all = false, json = false;
};

const char* name_of(Outcome outcome) {
  switch (outcome) {
    case Outcome::Recovered:
      return "recovered";
    case Outcome::NothingLeft:
      return "nothing_left";
    case Outcome::Running:
      return "running";
    case Outcome::Elsewhere:
      return "elsewhere";
    case Outcome::Unclaimed:
      return "unclaimed";
    case Outcome::Failed:
      return "failed";
  }
  return "failed";
}

void print_as_json(const std::vector<dumper::RecoveredProcess>& processes) {
  JsonFields out;
  out.object([&] {
    out.list("processes", processes, [&](const dumper::RecoveredProcess& process) {
      out.object([&] {
        out.string("outcome", name_of(process.outcome));
        out.string("host", process.host);
        out.number("pid", process.pid);
        out.number("records", process.records);
        out.number("in_progress", process.in_progress);
        out.string("segment", process.segment);
        out.string("sentence", process.sentence);
      });
    });
  });
  print_json(out.text());
}

int run(const RecoverArguments& arguments) {
  if (!arguments.all && arguments.directory.empty())
    return bad_usage("name the run directory, or give --all");
  const Result<std::vector<dumper::RecoveredProcess>> recovered =
      arguments.all ? dumper::recover_all() : dumper::recover_run(arguments.directory);
  if (!recovered.ok()) return bad_input(recovered.message());
  bool failed = false;
  for (const dumper::RecoveredProcess& process : recovered.value()) {
    failed = failed || process.outcome == Outcome::Failed;
    if (!arguments.json) print(process.sentence + "\n");
  }
  if (arguments.json) print_as_json(recovered.value());
  if (!arguments.json && recovered.value().empty()) print("nothing to recover\n");
  return failed ? kFinding : kOk;
}

}  // namespace

void add_recover(base::Command& lockstep) {
  const auto arguments = std::make_shared<RecoverArguments>();
  base::Command command =
      lockstep.command("recover", "Write what killed processes left in memory files to segments",
                       [arguments] { return run(*arguments); });
  const base::Argument all = command.flag("--all", &arguments->all,
                                          "Recover everything that this user's dead processes left "
                                          "on this host, each into its own run directory");
  command.option("DIR", &arguments->directory, "The run directory (not with --all)").excludes(all);
  command.flag("--json", &arguments->json, "Print JSON");
}

}  // namespace lockstep::cli
