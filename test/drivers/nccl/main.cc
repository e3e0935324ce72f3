// lockstep-nccl: the emulator's kinds of work on the real CUDA runtime and libnccl, ranks as
// processes on one or several GPUs, results checked, the same truth file. docs/drivers.md explains
// it.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>

#include "test/drivers/nccl/gpu_rank.h"

namespace lockstep::driver {
namespace {

int complain(int rank, const std::string& sentence) {
  fprintf(stderr, "lockstep-nccl: rank %d: %s\n", rank, sentence.c_str());
  return 3;
}

int run_rank(const NcclOptions& options, const BootstrapOptions& where) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto bootstrap = Bootstrap::join(where);
  if (!bootstrap.ok()) return complain(where.rank, bootstrap.message());
  auto truth = TruthFile::open(truth_path(options.truth, where.rank, where.world));
  if (!truth.ok()) return complain(where.rank, truth.message());
  int version = 0;
  ncclGetVersion(&version);
  truth.value().run({where.rank,
                     where.world,
                     bootstrap.value().host_of(where.rank),
                     options.seed,
                     {{"late", options.late_rank},
                      {"hang", options.hang_rank},
                      {"dead", options.dead_rank},
                      {"abort", options.abort_rank}},
                     options.at,
                     options.late_us,
                     ",\"nccl\":" + std::to_string(version)});
  GpuRank rank(options, &bootstrap.value(), &truth.value());
  Status status = rank.open_gpu();
  if (status.ok()) status = rank.create_communicators();
  if (!status.ok()) return complain(where.rank, status.message());
  const Result<GpuRank::Outcome> outcome = rank.run();
  if (!outcome.ok()) return complain(where.rank, outcome.message());
  if (outcome.value() == GpuRank::Outcome::Stalled) {
    const bool wanted = options.hang_rank != kNobody || options.dead_rank != kNobody ||
                        options.abort_rank != kNobody;
    return wanted ? 0 : complain(where.rank, "an operation did not finish and was aborted");
  }
  if (options.end == "kill") raise(SIGKILL);
  if (options.end == "exit") exit(0);
  status = rank.destroy();
  return status.ok() ? 0 : complain(where.rank, status.message());
}

int launch(const NcclOptions& options) {
  const bool one = options.place.rank != kNobody;
  BootstrapOptions where{options.place.rank, options.place.world, options.place.master, -1};
  if (one) return run_rank(options, where);
  const auto listening = listen_on("127.0.0.1", 0);
  if (!listening.ok()) return complain(0, listening.message());
  where.listening = listening.value().first;
  where.master = "127.0.0.1:" + std::to_string(listening.value().second);
  std::vector<pid_t> ranks;
  for (int i = 0; i < options.place.world; ++i) {
    where.rank = i;
    const pid_t child = fork();
    if (child == 0) exit(run_rank(options, where));
    ranks.push_back(child);
  }
  close(where.listening);
  int result = 0;
  for (const pid_t child : ranks) {
    int status = 0;
    waitpid(child, &status, 0);
    const bool kill_wanted = options.end == "kill" || options.dead_rank != kNobody;
    if (WIFEXITED(status) && WEXITSTATUS(status) != 0) result = WEXITSTATUS(status);
    if (WIFSIGNALED(status) && !(kill_wanted && WTERMSIG(status) == SIGKILL)) result = 3;
  }
  if (result == 0)
    printf("{\"processes\":%zu,\"iterations\":%d,\"results\":\"right\"}\n", ranks.size(),
           options.iterations);
  return result;
}

void add_options(CLI::App* app, NcclOptions* options) {
  app->add_option("plugin", options->plugin,
                  "the plugin's .so (default: NCCL_PROFILER_PLUGIN, which may be unset)")
      ->envname("NCCL_PROFILER_PLUGIN");
  app->add_option("--ops", options->ops, "allreduce,allgather,reducescatter,reduce,broadcast")
      ->delimiter(',')
      ->check(CLI::IsMember({"allreduce", "allgather", "reducescatter", "reduce", "broadcast"}));
  app->add_option("--sizes", options->sizes, "bytes per operation, taken in turn (also 64K, 1M)")
      ->delimiter(',')
      ->transform(CLI::AsSizeValue(false));
  app->add_option("--iterations", options->iterations, "iterations");
  app->add_option("--groups", options->groups, "operations in one group")
      ->check(CLI::Range(1, 256));
  app->add_flag("--sendrecv", options->sendrecv,
                "also a grouped send to the next and receive from the previous rank");
  app->add_flag("--alltoall", options->alltoall,
                "also a grouped exchange between all pairs of ranks");
  app->add_flag("--split", options->split, "also split the world into even and odd ranks");
  app->add_option("--graph-replay", options->graph_replay,
                  "capture each operation once and replay it N times an iteration");
  app->add_option("--late-rank", options->late_rank, "this rank calls late");
  app->add_option("--late-us", options->late_us, "by this much");
  app->add_option("--late-fraction", options->late_fraction, "in this part of the iterations");
  app->add_option("--hang-rank", options->hang_rank, "this rank stops calling at iteration --at");
  app->add_option("--dead-rank", options->dead_rank, "this rank kills itself (SIGKILL) at --at");
  app->add_option("--abort", options->abort_rank, "this rank aborts in the middle of --at");
  app->add_option("--at,--hang-at", options->at, "the iteration of the three above");
  app->add_option("--stall-us", options->stall_us, "abort an operation that takes longer");
  app->add_option("--seed", options->seed, "for everything random");
  app->add_option("--truth", options->truth,
                  "write what happened: FILE.RANK, or FILE with %r replaced, JSON Lines");
  app->add_flag("--one-node", options->one_node, "do not give ranks that share a GPU a node each");
  app->add_option("--end", options->end, "destroy the communicators, exit without, or SIGKILL")
      ->check(CLI::IsMember({"finalize", "exit", "kill"}));
}

int run(int argc, char** argv) {
  NcclOptions options;
  CLI::App app("Runs NCCL operations on real GPUs, ranks as processes, and checks their results.");
  add_options(&app, &options);
  const PlaceOptions given = add_place_options(&app, &options.place);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  const std::string mistake = settle_place(given, &options.place);
  if (!mistake.empty()) {
    fprintf(stderr, "lockstep-nccl: %s\n", mistake.c_str());
    return 2;
  }
  if (!options.plugin.empty()) setenv("NCCL_PROFILER_PLUGIN", options.plugin.c_str(), 1);
  return launch(options);
}

}  // namespace
}  // namespace lockstep::driver

int main(int argc, char** argv) { return lockstep::driver::run(argc, argv); }
