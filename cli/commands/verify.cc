// `lockstep verify DIR`: is everything there?

#include "analysis/inspect/verify_run.h"
#include "cli/commands.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

// A run damaged all over has thousands of differences; people need the first ones.
constexpr size_t kMostShown = 50;

struct Arguments : RunArguments {
  bool partial = false;
};

int run(const Arguments& arguments) {
  const auto expected =
      arguments.partial ? analysis::Recorded::SomeRanks : analysis::Recorded::AllRanks;
  const auto verified = analysis::verify_run(arguments.directory, expected);
  if (!verified.ok()) return bad_input(verified.message());
  const analysis::RunVerification& v = verified.value();
  if (arguments.json) {
    print_json(v.to_json());
    return v.differences.empty() ? kOk : kFinding;
  }
  for (size_t i = 0; i < v.differences.size() && i < kMostShown; ++i)
    print("difference: " + v.differences[i] + "\n");
  if (v.differences.size() > kMostShown) {
    print("... and " + std::to_string(v.differences.size() - kMostShown) +
          " more (--json shows all)\n");
  }
  for (const std::string& note : v.notes) print("note: " + note + "\n");
  print((v.differences.empty() ? "complete: " : "NOT complete: ") + std::to_string(v.records) +
        " records of " + std::to_string(v.processes) + " processes in " + std::to_string(v.chunks) +
        " chunks; " + std::to_string(v.calls) + " calls, " + std::to_string(v.lost) +
        " of them counted and not kept, " + std::to_string(v.in_progress) +
        " in progress at a death\n");
  return v.differences.empty() ? kOk : kFinding;
}

}  // namespace

void add_verify(base::Command& lockstep) {
  const auto arguments = std::make_shared<Arguments>();
  base::Command command = add_run_command(
      lockstep, "verify", "Prove that a run is complete, or name what is missing", arguments, run);
  command.flag("--partial", &arguments->partial,
               "Accept ranks of which nothing was recorded: name them and judge the rest as usual");
}

}  // namespace lockstep::cli
