// `lockstep align DIR`: solves the run's clock and saves it beside the segments, where every other
// command finds it.
#include <algorithm>

#include "cli/commands.h"
#include "cli/show/clock_json.h"
#include "cli/show/clock_view.h"
#include "cli/show/output.h"
#include "clocksync/record/clock_model_json.h"

namespace lockstep::cli {
namespace {

struct AlignArguments : RunArguments {
  bool validate = false;
};

std::string summary(const analysis::Alignment& alignment, const std::string& path) {
  size_t connected = 0;
  int64_t widest_ns = 0;
  for (const analysis::HostView& host : alignment.hosts) {
    connected += host.connected;
    if (host.connected) widest_ns = std::max(widest_ns, host.half_width_ns);
  }
  const auto& c = alignment.causality;
  return std::to_string(connected) + " of " + std::to_string(alignment.hosts.size()) +
         " hosts are on the clock of " + alignment.model.reference + ", guaranteed to +-" +
         duration_text(widest_ns) + " or better\n" + std::to_string(c.checked) +
         " pairs in collectives checked: " + std::to_string(c.violated_before) +
         " impossible before, " + std::to_string(c.violated_after) +
         " after; no time was moved to hide one\n" +
         (path.empty() ? std::string() : "written: " + path + "\n");
}

int run(const AlignArguments& arguments) {
  const Result<analysis::Alignment> aligned =
      analysis::align_run(arguments.directory, analysis::AlignOptions());
  if (!aligned.ok()) return bad_input(aligned.message());
  const analysis::Alignment& alignment = aligned.value();
  for (const std::string& note : alignment.notes) complain(note);
  std::string path;
  if (!arguments.validate) {
    path = arguments.directory + "/" + clocksync::kClockModelFile;
    const Status saved = clocksync::save_clock_model(alignment.model, path);
    if (!saved.ok()) return bad_input(saved.message());
  }
  if (arguments.json) {
    print_json(alignment_json(alignment));
  } else {
    if (arguments.validate) print(causality_table(alignment) + "\n");
    print(summary(alignment, path));
    for (const clocksync::ModelFault& fault : alignment.model.faults) {
      print(fault.kind + ": " + fault.detail + "\n");
    }
  }
  const analysis::Causality& causality = alignment.causality;
  const uint64_t wrong = arguments.validate ? causality.violated_after : causality.beyond_interval;
  const bool sound = alignment.all_connected() && wrong == 0;
  return with_damage(sound ? kOk : kFinding, alignment.damage);
}

}  // namespace

void add_align(base::Command& lockstep) {
  const auto arguments = std::make_shared<AlignArguments>();
  base::Command command = add_run_command(
      lockstep, "align", "Put all hosts of a run on one clock; writes DIR/clock_model.json",
      arguments, run);
  command.flag(
      "--validate", &arguments->validate,
      "Write nothing: count, for each pair of hosts, the orders in their collectives that are "
      "impossible before and after; exit 1 if any is left");
}

}  // namespace lockstep::cli
