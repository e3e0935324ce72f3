// lockstep-nccl: the emulator's kinds of work on the real CUDA runtime and libnccl, ranks as
// processes on one or several GPUs, results checked, the same truth file. docs/drivers.md explains
// it.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/command_line.h"
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

void add_options(base::Command& program, NcclOptions* options) {
  program
      .option("plugin", &options->plugin,
              "the plugin's .so (default: NCCL_PROFILER_PLUGIN, which may be unset)")
      .or_from("NCCL_PROFILER_PLUGIN");
  program.option("--ops", &options->ops, "allreduce,allgather,reducescatter,reduce,broadcast")
      .separated_by(',')
      .one_of({"allreduce", "allgather", "reducescatter", "reduce", "broadcast"});
  program.option("--sizes", &options->sizes, "bytes per operation, taken in turn (also 64K, 1M)")
      .separated_by(',')
      .bytes();
  program.option("--iterations", &options->iterations, "iterations");
  program.option("--groups", &options->groups, "operations in one group").between(1, 256);
  program.flag("--sendrecv", &options->sendrecv,
               "also a grouped send to the next and receive from the previous rank");
  program.flag("--alltoall", &options->alltoall,
               "also a grouped exchange between all pairs of ranks");
  program.flag("--split", &options->split, "also split the world into even and odd ranks");
  program.option("--graph-replay", &options->graph_replay,
                 "capture each operation once and replay it N times an iteration");
  program.option("--late-rank", &options->late_rank, "this rank calls late");
  program.option("--late-us", &options->late_us, "by this much");
  program.option("--late-fraction", &options->late_fraction, "in this part of the iterations");
  program.option("--hang-rank", &options->hang_rank, "this rank stops calling at iteration --at");
  program.option("--dead-rank", &options->dead_rank, "this rank kills itself (SIGKILL) at --at");
  program.option("--abort", &options->abort_rank, "this rank aborts in the middle of --at");
  program.option("--at,--hang-at", &options->at, "the iteration of the three above");
  program.option("--stall-us", &options->stall_us, "abort an operation that takes longer");
  program.option("--seed", &options->seed, "for everything random");
  program.option("--truth", &options->truth,
                 "write what happened: FILE.RANK, or FILE with %r replaced, JSON Lines");
  program.flag("--one-node", &options->one_node, "do not give ranks that share a GPU a node each");
  program.option("--end", &options->end, "destroy the communicators, exit without, or SIGKILL")
      .one_of({"finalize", "exit", "kill"});
}

int run(int argc, char** argv) {
  NcclOptions options;
  base::Program program(
      "Runs NCCL operations on real GPUs, ranks as processes, and checks their results.");
  add_options(program, &options);
  const PlaceOptions given = add_place_options(program, &options.place);
  if (const auto status = program.parse(argc, argv)) return *status;
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
