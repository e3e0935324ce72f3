#include "test/drivers/emulate/command_line.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "test/drivers/common/plugin.h"
#include "test/drivers/emulate/operation.h"

namespace lockstep::driver {
namespace {

void add_workload(CLI::App* app, Workload* work) {
  app->add_option("--nodes", work->nodes,
                  "nodes reported to the plugin (default: hosts; on one host, one per rank)");
  app->add_option("--comms", work->comms, "copies of the world communicator")
      ->check(CLI::Range(1, 64));
  app->add_flag("--split", work->split, "also split the world into even and odd ranks");
  app->add_flag("--share", work->share,
                "the split shares its parent's progress thread; the parent is destroyed first");
  app->add_option("--ops", work->ops,
                  "allreduce,allgather,reducescatter,reduce,broadcast; 'none' for none")
      ->delimiter(',');
  app->add_option("--sizes", work->sizes, "bytes per operation, taken in turn (also 64K, 1M)")
      ->delimiter(',')
      ->transform(CLI::AsSizeValue(false));
  app->add_option("--iterations", work->iterations, "iterations")
      ->check(CLI::Range(0, 100'000'000));
  app->add_option("--channels", work->channels, "channels per operation")->check(CLI::Range(1, 64));
  app->add_option("--groups", work->groups, "operations in one group")->check(CLI::Range(1, 256));
  app->add_flag("--sendrecv", work->sendrecv,
                "also a grouped send to the next and receive from the previous rank");
  app->add_flag("--alltoall", work->alltoall, "also a grouped exchange between all pairs of ranks");
  app->add_option("--graph-replay", work->graph_replay,
                  "capture each operation once and replay it N times an iteration");
  app->add_flag("--ce", work->ce, "also a copy-engine all-gather");
  app->add_flag("--net-events", work->net_events, "also the socket transport's own events");
  app->add_option("--sync-every", work->sync_every, "iterations between waits for the GPU")
      ->check(CLI::Range(1, 1 << 20));
  app->add_option("--rate", work->rate, "iterations per second (default: as fast as it goes)");
  app->add_option("--rounds", work->rounds,
                  "create and destroy everything this often in one process");
  app->add_flag("--hazards", work->hazards, "at the end, the calls no tidy plugin expects");
}

void add_injection(CLI::App* app, Injection* inject) {
  app->add_option("--late-rank", inject->late_rank, "this rank calls late");
  app->add_option("--late-us", inject->late_us, "by this much");
  app->add_option("--late-fraction", inject->late_fraction, "in this part of the iterations")
      ->check(CLI::Range(0.0, 1.0));
  app->add_option(
      "--late-comm", inject->late_comm,
      "in time for the communicators before this one (0 the world, then its copies, then "
      "the split)");
  app->add_option("--slow-link", inject->slow_link,
                  "what this rank sends goes at --slow-link-mbps");
  app->add_option("--slow-link-mbps", inject->slow_link_mbps, "megabits per second");
  app->add_option("--slow-proxy", inject->slow_proxy,
                  "this rank's progress thread loses --slow-proxy-us every pass");
  app->add_option("--slow-proxy-us", inject->slow_proxy_us, "microseconds");
  app->add_option("--hang-rank", inject->hang_rank, "this rank stops calling at iteration --at");
  app->add_option("--wrong-order", inject->wrong_order, "this rank swaps two operations at --at");
  app->add_option("--mismatch-count", inject->mismatch_count,
                  "this rank passes half the count at --at");
  app->add_option("--stuck-transport", inject->stuck_transport,
                  "this rank's data never leaves at --at");
  app->add_option("--dead-rank", inject->dead_rank, "this rank kills itself (SIGKILL) at --at");
  app->add_option("--abort", inject->abort_rank, "this rank aborts in the middle of --at");
  app->add_option("--at,--hang-at", inject->at, "the iteration of the six above");
  app->add_option("--peer-wait-repeats", inject->peer_wait_repeats,
                  "more SendPeerWait states per send step");
  app->add_option("--recv-repeats", inject->recv_repeats, "more starts per receive step");
  app->add_option("--stall-us", inject->stall_us, "abort an operation that takes longer");
}

std::string first_mistake(const EmulateOptions& options) {
  if (options.plugin.empty())
    return "name the plugin's .so, or set NCCL_PROFILER_PLUGIN to its path";
  if (options.work.share && !options.work.split) return "--share needs --split";
  for (const std::string& name : options.work.ops) {
    const auto function = function_of_option(name);
    if (!function.ok()) return function.message();
  }
  return "";
}

}  // namespace

int parse_command_line(int argc, char** argv, EmulateOptions* options) {
  CLI::App app(
      "Emulates an NCCL job: ranks as processes, real threads, real bytes over TCP, a profiler "
      "plugin loaded as "
      "NCCL loads it. Prints the calls made, as one JSON line.");
  app.add_option("plugin", options->plugin, "the plugin's .so (default: NCCL_PROFILER_PLUGIN)")
      ->envname("NCCL_PROFILER_PLUGIN");
  add_workload(&app, &options->work);
  add_injection(&app, &options->inject);
  app.add_option("--gpu-offset-us", options->gpu.offset_us,
                 "the GPU clock of rank r is off by r+1 times this");
  app.add_option("--gpu-drift-ppm", options->gpu.drift_ppm, "and drifts by r+1 times this");
  app.add_option("--gpu-resolution-ns", options->gpu.resolution_ns, "and counts in units of this")
      ->check(CLI::Range(1, 1'000'000));
  app.add_option("--table", options->table,
                 "use this table, v1 to v7, instead of the newest exported")
      ->transform(CLI::CheckedTransformer(table_names()));
  app.add_option("--seed", options->seed, "for everything random");
  app.add_option("--truth", options->truth,
                 "write what happened: FILE.RANK, or FILE with %r replaced, JSON Lines");
  app.add_option("--end", options->end, "destroy the communicators, exit without, or SIGKILL")
      ->check(CLI::IsMember({"finalize", "exit", "kill"}));
  app.add_option("--kill-after", options->kill_after_us,
                 "SIGKILL all ranks this many microseconds after the start");
  const PlaceOptions given = add_place_options(&app, &options->place);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
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
