// lockstep-simulate: training jobs at virtual time, recorded as the plugin would.
#include <cstdio>

#include "base/command_line.h"
#include "test/drivers/simulate/fault.h"
#include "test/drivers/simulate/noise.h"
#include "test/drivers/simulate/run.h"
#include "test/drivers/simulate/schedule.h"

namespace lockstep::simulate {
namespace {

void list() {
  puts("classes:");
  for (const FaultInfo& info : fault_classes())
    printf("  %-18s %s (SIZE %g)\n", info.name, info.help, info.size);
  puts("schedules:");
  for (const ScheduleInfo& info : schedules()) printf("  %-18s %s\n", info.name, info.help);
  puts("noise:");
  for (const NoiseInfo& info : noises()) printf("  %-18s %s\n", info.name, info.help);
}

int run(int argc, char** argv) {
  RunOptions options;
  std::string end = "killed";
  bool list_only = false;
  base::Program program("Simulates a training job and writes its recordings and truth.json.");
  program.option("OUT", &options.directory, "new run directory");
  program.flag("--list", &list_only, "show classes, schedules and noise models");
  program.option("--seed", &options.seed, "same seed, same bytes");
  program.option("--class", &options.classes, "what goes wrong, by name; two for two faults")
      .separated_by(',');
  program.option("--size", &options.size, "of the first fault; --list says of what").not_negative();
  program.option("--rank", &options.rank, "world rank of the first fault; drawn when left out");
  program.option("--at", &options.at_step, "step of a fault that happens once");
  program.option("--ranks", &options.ranks, "world size").between(2, 65'536);
  program.option("--gpus-per-host", &options.gpus_per_host, "ranks of a host").between(1, 64);
  program.option("--schedule", &options.schedule, "by name");
  program.option("--tp", &options.tensor, "tensor ranks").positive();
  program.option("--pp", &options.stages, "pipeline stages").positive();
  program.option("--ep", &options.experts, "expert ranks").positive();
  program.option("--steps", &options.steps, "training steps").between(1, 1'000'000);
  program.option("--layers", &options.layers, "layers of a stage").between(1, 1'000);
  program.option("--micro-batches", &options.micro_batches, "of pipelines").between(1, 1'000);
  program.option("--run-ahead", &options.run_ahead, "kernels that a host thread may be ahead")
      .between(1, 1'000'000);
  program.option("--events", &options.events, "as LOCKSTEP_EVENTS");
  program.option("--noise", &options.noise, "by name, several with commas").separated_by(',');
  program.option("--end", &end, "how a hung run is left: killed and recovered, or still running")
      .one_of({"killed", "running"});
  if (const auto status = program.parse(argc, argv)) return *status;
  if (list_only) return list(), 0;
  if (options.directory.empty()) {
    fputs("lockstep-simulate: name the new run directory\n", stderr);
    return 2;
  }
  if (end == "running") options.hung_end = ProcessEnd::Running;
  const Status status = simulate_run(options);
  if (status.ok()) return 0;
  fprintf(stderr, "lockstep-simulate: %s\n", status.message().c_str());
  return 2;
}

}  // namespace
}  // namespace lockstep::simulate

int main(int argc, char** argv) { return lockstep::simulate::run(argc, argv); }
