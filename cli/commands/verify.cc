// `lockstep verify DIR`: is everything there?

#include "analysis/inspect/verify_run.h"
#include "cli/commands.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

// A run damaged all over has thousands of differences; people need the first ones.
constexpr size_t kMostShown = 50;

int run(const RunArguments& arguments) {
  const auto verified = analysis::verify_run(arguments.directory);
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
  add_run_command(lockstep, "verify", "Prove that a run is complete, or name what is missing",
                  std::make_shared<RunArguments>(), run);
}

}  // namespace lockstep::cli
