// `lockstep verify DIR`: is everything there?

#include "analysis/inspect/verify_run.h"
#include "cli/commands.h"
#include "cli/live/ras_compare.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

// A run damaged all over has thousands of differences; people need the first ones.
constexpr size_t kMostShown = 50;

struct VerifyArguments : RunArguments {
  bool partial = false, ras = false;
};

// What NCCL itself counted beside it, as differences or a note.
Status add_ras(const std::string& directory, analysis::RunVerification* verification) {
  const auto compared = compare_with_ras(directory);
  if (!compared.ok()) return compared.status();
  const RasComparison& ras = compared.value();
  verification->differences.insert(verification->differences.end(), ras.differences.begin(),
                                   ras.differences.end());
  if (ras.differences.empty())
    verification->notes.push_back("NCCL's own counts (RAS) agree: " + std::to_string(ras.launches) +
                                  " launches of " + std::to_string(ras.ranks) + " ranks");
  return Status();
}

int run(const VerifyArguments& arguments) {
  const auto expected =
      arguments.partial ? analysis::Recorded::SomeRanks : analysis::Recorded::AllRanks;
  auto verified = analysis::verify_run(arguments.directory, expected);
  if (!verified.ok()) return bad_input(verified.message());
  analysis::RunVerification& v = verified.value();
  if (arguments.ras) {
    const Status asked = add_ras(arguments.directory, &v);
    if (!asked.ok()) return bad_input(asked.message());
  }
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
  const auto arguments = std::make_shared<VerifyArguments>();
  base::Command command = add_run_command(
      lockstep, "verify", "Prove that a run is complete, or name what is missing", arguments, run);
  command.flag("--partial", &arguments->partial,
               "Accept ranks of which nothing was recorded: name them and judge the rest as usual");
  command.flag("--ras", &arguments->ras,
               "Also compare with what NCCL itself counts, asking the RAS service of the live job");
}

}  // namespace lockstep::cli
