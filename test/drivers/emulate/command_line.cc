#include "test/drivers/emulate/command_line.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/command_line.h"
#include "test/drivers/common/plugin.h"
#include "test/drivers/emulate/operation.h"

namespace lockstep::driver {
namespace {

void add_workload(base::Command& program, Workload* work) {
  program.option("--nodes", &work->nodes,
                 "nodes reported to the plugin (default: hosts; on one host, one per rank)");
  program.option("--comms", &work->comms, "copies of the world communicator").between(1, 64);
  program.flag("--split", &work->split, "also split the world into even and odd ranks");
  program.flag("--share", &work->share,
               "the split shares its parent's progress thread; the parent is destroyed first");
  program
      .option("--ops", &work->ops,
              "allreduce,allgather,reducescatter,reduce,broadcast; 'none' for none")
      .separated_by(',');
  program.option("--sizes", &work->sizes, "bytes per operation, taken in turn (also 64K, 1M)")
      .separated_by(',')
      .bytes();
  program.option("--iterations", &work->iterations, "iterations").between(0, 100'000'000);
  program.option("--channels", &work->channels, "channels per operation").between(1, 64);
  program.option("--groups", &work->groups, "operations in one group").between(1, 256);
  program.flag("--sendrecv", &work->sendrecv,
               "also a grouped send to the next and receive from the previous rank");
  program.flag("--alltoall", &work->alltoall, "also a grouped exchange between all pairs of ranks");
  program.option("--graph-replay", &work->graph_replay,
                 "capture each operation once and replay it N times an iteration");
  program.flag("--ce", &work->ce, "also a copy-engine all-gather");
  program.flag("--symmetric", &work->symmetric,
               "also an all-gather in symmetric memory on the world, by a kernel without network "
               "operations");
  program.flag("--user-buffers", &work->user_buffers,
               "sends and receives use registered buffers: one network step a GiB");
  program.flag("--device-api", &work->device_api,
               "also a kernel of the program's own that communicates: NCCL makes no call for it");
  program.option("--streams", &work->streams, "streams that the calls take in turn").between(1, 64);
  program.flag("--net-events", &work->net_events, "also the socket transport's own events");
  program.option("--sync-every", &work->sync_every, "iterations between waits for the GPU")
      .between(1, 1 << 20);
  program.option("--rate", &work->rate, "iterations per second (default: as fast as it goes)");
  program.option("--burst", &work->burst, "iterations as fast as it goes before --rate counts")
      .between(0, 100000000);
  program.option("--data", &work->data, "read this file before each iteration");
  program.option("--rounds", &work->rounds,
                 "create and destroy everything this often in one process");
  program.flag("--hazards", &work->hazards, "at the end, the calls no tidy plugin expects");
}

void add_injection(base::Command& program, Injection* inject) {
  program.option("--late-rank", &inject->late_rank, "this rank calls late");
  program.option("--late-us", &inject->late_us, "by this much");
  program.option("--late-fraction", &inject->late_fraction, "in this part of the iterations")
      .between(0.0, 1.0);
  program.option(
      "--late-comm", &inject->late_comm,
      "in time for the communicators before this one (0 the world, then its copies, then "
      "the split)");
  program.option("--slow-link", &inject->slow_link,
                 "what this rank sends goes at --slow-link-mbps");
  program.option("--slow-link-mbps", &inject->slow_link_mbps, "megabits per second");
  program.option("--slow-proxy", &inject->slow_proxy,
                 "this rank's progress thread loses --slow-proxy-us every pass");
  program.option("--slow-proxy-us", &inject->slow_proxy_us, "microseconds");
  program.option("--hang-rank", &inject->hang_rank, "this rank stops calling at iteration --at");
  program.option("--wrong-order", &inject->wrong_order, "this rank swaps two operations at --at");
  program.option("--mismatch-count", &inject->mismatch_count,
                 "this rank passes half the count at --at");
  program.option("--stuck-transport", &inject->stuck_transport,
                 "this rank's data never leaves at --at");
  program.option("--dead-rank", &inject->dead_rank, "this rank kills itself (SIGKILL) at --at");
  program.option("--abort", &inject->abort_rank, "this rank aborts in the middle of --at");
  program.option("--ras-mask", &inject->ras_mask,
                 "RAS asks for these kinds from --at on, whatever the plugin wants");
  program.option("--at,--hang-at", &inject->at, "the iteration of the seven above");
  program.option("--peer-wait-repeats", &inject->peer_wait_repeats,
                 "more SendPeerWait states per send step");
  program.option("--recv-repeats", &inject->recv_repeats, "more starts per receive step");
  program.option("--stall-us", &inject->stall_us, "abort an operation that takes longer");
}

std::string first_mistake(const EmulateOptions& options) {
  if (options.plugin.empty())
    return "name the plugin's .so, or set NCCL_PROFILER_PLUGIN to its path";
  if (!options.work.data.empty() && access(options.work.data.c_str(), R_OK) != 0)
    return options.work.data + " cannot be read: name a file with --data";
  if (options.work.share && !options.work.split) return "--share needs --split";
  const int world = options.place.world, each = options.ranks_per_process;
  const bool divides =
      options.place.rank == kNobody ? world % each == 0 : options.place.rank + each <= world;
  if (!divides) return "the ranks cannot be shared out among processes of --ranks-per-process";
  if (each > 1 && !options.truth.empty())
    return "--truth counts by process, so it needs --ranks-per-process 1";
  for (const std::string& name : options.work.ops) {
    const auto function = function_of_option(name);
    if (!function.ok()) return function.message();
  }
  return "";
}

}  // namespace

int parse_command_line(int argc, char** argv, EmulateOptions* options) {
  base::Program program(
      "Emulates an NCCL job: ranks as processes, real threads, real bytes over TCP, a profiler "
      "plugin loaded as "
      "NCCL loads it. Prints the calls made, as one JSON line.");
  program.option("plugin", &options->plugin, "the plugin's .so (default: NCCL_PROFILER_PLUGIN)")
      .or_from("NCCL_PROFILER_PLUGIN");
  add_workload(program, &options->work);
  add_injection(program, &options->inject);
  program.option("--gpu-offset-us", &options->gpu.offset_us,
                 "the GPU clock of rank r is off by r+1 times this");
  program.option("--gpu-drift-ppm", &options->gpu.drift_ppm, "and drifts by r+1 times this");
  program.option("--gpu-resolution-ns", &options->gpu.resolution_ns, "and counts in units of this")
      .between(1, 1'000'000);
  program
      .option("--table", &options->table,
              "use this table, v1 to v7, instead of the newest exported")
      .one_of_named(table_names());
  program.option("--seed", &options->seed, "for everything random");
  program.option("--truth", &options->truth,
                 "write what happened: FILE.RANK, or FILE with %r replaced, JSON Lines");
  program.option("--end", &options->end, "destroy the communicators, exit without, or SIGKILL")
      .one_of({"finalize", "exit", "kill"});
  program.option("--kill-after", &options->kill_after_us,
                 "SIGKILL all ranks this many microseconds after the start");
  program
      .option("--ranks-per-process", &options->ranks_per_process,
              "so many ranks, from --rank on, are threads of one process and share the plugin")
      .between(1, 256);
  const PlaceOptions given = add_place_options(program, &options->place);
  if (const auto status = program.parse(argc, argv)) return *status;
  if (options->work.ops == std::vector<std::string>{"none"}) options->work.ops.clear();
  std::string mistake = settle_place(given, &options->place);
  if (mistake.empty()) mistake = first_mistake(*options);
  if (!mistake.empty()) {
    fprintf(stderr, "lockstep-emulate: %s\n", mistake.c_str());
    return 2;
  }
  setenv("NCCL_PROFILER_PLUGIN", options->plugin.c_str(), 1);
  return -1;
}

}  // namespace lockstep::driver
