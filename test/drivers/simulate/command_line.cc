#include "test/drivers/simulate/command_line.h"

#include "base/command_line.h"

namespace lockstep::simulate {

std::optional<int> parse(const std::vector<std::string>& words, Arguments* arguments) {
  RunOptions& run = arguments->run;
  std::string end = "killed", clock = "aligned", adapters = "host";
  base::Program program("Simulates a training job and writes its recordings and truth.json.",
                        "lockstep-simulate");
  program.option("OUT", &run.directory, "new run directory");
  program.flag("--list", &arguments->list, "show classes, schedules and noise models");
  program.option("--batch", &arguments->batch, "a file with the arguments of one run on each line");
  program.option("--count", &arguments->count, "so many runs with successive seeds, in OUT/SEED")
      .positive();
  program.option("--seed", &run.seed, "same seed, same bytes");
  program.option("--class", &run.classes, "what goes wrong, by name; two for two faults")
      .separated_by(',');
  program.option("--size", &run.size, "of the first fault; --list says of what").not_negative();
  program.option("--rank", &run.rank, "world rank of the first fault; drawn when left out");
  program.option(
      "--at", &run.at_step,
      "step of the first fault: when it happens once, drawn when left out; else from when on");
  program.option("--ranks", &run.ranks, "world size").between(2, 65'536);
  program.option("--gpus-per-host", &run.gpus_per_host, "ranks of a host").between(1, 64);
  program.option("--adapters", &adapters, "to the network: one of each host, or of each GPU")
      .one_of({"host", "gpu"});
  program.option("--tree-bytes", &run.tree_bytes, "the largest all-reduce that goes by trees")
      .bytes();
  program.option("--schedule", &run.schedule, "by name");
  program.option("--tp", &run.tensor, "tensor ranks").positive();
  program.option("--pp", &run.stages, "pipeline stages").positive();
  program.option("--ep", &run.experts, "expert ranks").positive();
  program.flag("--unnamed", &run.unnamed, "communicators have no names");
  program.option("--steps", &run.steps, "training steps").between(1, 1'000'000);
  program.option("--layers", &run.layers, "layers of a stage").between(1, 1'000);
  program.option("--micro-batches", &run.micro_batches, "of pipelines").between(1, 1'000);
  program.option("--layer-us", &run.layer_us,
                 "a layer's forward computation; backward takes twice");
  program.option("--layer-bytes", &run.layer_bytes, "of a layer's parameters on a rank").bytes();
  program.option("--activation-bytes", &run.activation_bytes, "that a layer passes on").bytes();
  program.option("--run-ahead", &run.run_ahead, "kernels that a host thread may be ahead")
      .between(1, 1'000'000);
  program.option("--sync-every", &run.sync_every, "steps after which the host waits for its GPU")
      .between(1, 1'000'000);
  program.option("--events", &run.events, "as LOCKSTEP_EVENTS");
  program.option("--noise", &run.noise, "by name, several with commas").separated_by(',');
  program.option("--end", &end, "how a hung run is left: killed and recovered, or still running")
      .one_of({"killed", "running"});
  program.option("--clock", &clock, "of several hosts: with a model of their offsets, or without")
      .one_of({"aligned", "unaligned"});
  std::vector<const char*> argv = {"lockstep-simulate"};
  for (const std::string& word : words) argv.push_back(word.c_str());
  const auto status = program.parse(static_cast<int>(argv.size()), argv.data());
  run.hung_end = end == "running" ? ProcessEnd::Running : ProcessEnd::Recovered;
  run.adapter_each = adapters == "gpu";
  run.aligned = clock == "aligned";
  return status;
}

}  // namespace lockstep::simulate
