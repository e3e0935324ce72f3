// `lockstep clock DIR`: how well the hosts of a run are on one clock, and where that rests.
#include <algorithm>
#include <memory>

#include "cli/commands.h"
#include "cli/show/clock_json.h"
#include "cli/show/clock_view.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

struct ClockArguments : RunArguments {
  std::optional<int64_t> at_raw_ns;
  std::string require = "usable";
};

int run(const ClockArguments& arguments) {
  analysis::AlignOptions options;
  options.at_raw_ns = arguments.at_raw_ns;
  const Result<analysis::Alignment> aligned = analysis::align_run(arguments.directory, options);
  if (!aligned.ok()) return bad_input(aligned.message());
  const analysis::Alignment& alignment = aligned.value();
  for (const std::string& note : alignment.notes) complain(note);
  if (arguments.json) {
    print_json(alignment_json(alignment));
  } else {
    print(alignment_text(alignment));
  }
  const analysis::Grade worst =
      arguments.require == "good" ? analysis::Grade::Good : analysis::Grade::Usable;
  const auto& hosts = alignment.hosts;
  const bool enough = std::all_of(hosts.begin(), hosts.end(), [&](const analysis::HostView& host) {
    return host.graded.grade <= worst;
  });
  const bool sound = enough && alignment.causality.beyond_interval == 0;
  return with_damage(sound ? kOk : kFinding, alignment.damage);
}

}  // namespace

void add_clock(base::Command& lockstep) {
  const auto arguments = std::make_shared<ClockArguments>();
  base::Command command = add_run_command(
      lockstep, "clock", "Show how well the clocks of a run's hosts are aligned", arguments, run);
  command
      .option("--at", &arguments->at_raw_ns,
              "Offsets at this instant, given by each first host's CLOCK_MONOTONIC_RAW")
      .shown_as("RAW_NS");
  command
      .option("--require", &arguments->require,
              "Exit 1 if a host's grade is worse: usable (default) or good")
      .one_of({"usable", "good"});
}

}  // namespace lockstep::cli
