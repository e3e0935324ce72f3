// lockstep-emulate: an NCCL job without GPUs. N ranks as processes load a profiler plugin as NCCL
// does, move real bytes round a ring over TCP and make the calls NCCL would make. docs/drivers.md
// explains it.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

#include "test/drivers/common/shared_memory.h"
#include "test/drivers/emulate/command_line.h"
#include "test/drivers/emulate/scenario.h"

namespace lockstep::driver {
namespace {

int complain(const std::string& sentence) {
  fprintf(stderr, "lockstep-emulate: %s\n", sentence.c_str());
  return 3;
}

// One rank of this process, on a thread of its own where there are several.
int run_rank(const EmulateOptions& options, const BootstrapOptions& where, Plugin* plugin) {
  prctl(PR_SET_TIMERSLACK, 1);
  auto bootstrap = Bootstrap::join(where);
  if (!bootstrap.ok())
    return complain("rank " + std::to_string(where.rank) + ": " + bootstrap.message());
  auto truth = TruthFile::open(truth_path(options.truth, where.rank, where.world));
  if (!truth.ok()) return complain(truth.message());
  // Leaked on purpose: at exit the progress threads may still be at work with it and the plugin.
  auto* scenario = new Scenario(options, plugin, &bootstrap.value(), &truth.value());
  return scenario->run();
}

// The ranks from where.rank on that share this process and its plugin. The first non-zero status.
int run_process(const EmulateOptions& options, const BootstrapOptions& where, CallCounts* counts) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  auto plugin = Plugin::load({options.plugin, options.table}, counts);
  if (!plugin.ok()) return complain(plugin.message());
  Plugin* leaked = plugin.value().release();
  std::vector<int> results(static_cast<size_t>(options.ranks_per_process), 0);
  std::vector<std::thread> others;
  for (size_t i = 1; i < results.size(); ++i) {
    others.emplace_back([&, i] {
      BootstrapOptions mine = where;
      mine.rank += static_cast<int>(i);
      mine.listening = -1;  // rank 0 has it, which is the first of its process
      results[i] = run_rank(options, mine, leaked);
    });
  }
  results[0] = run_rank(options, where, leaked);
  for (std::thread& other : others) other.join();
  for (const int result : results) {
    if (result != 0) return result;
  }
  return 0;
}

// The first non-zero status, except that a wanted SIGKILL is none.
int wait_for_ranks(const EmulateOptions& options, const std::vector<pid_t>& ranks) {
  int result = 0;
  for (size_t i = 0; i < ranks.size(); ++i) {
    int status = 0;
    waitpid(ranks[i], &status, 0);
    const bool kill_wanted =
        options.kill_after_us >= 0 || options.end == "kill" || options.inject.dead_rank != kNobody;
    if (WIFEXITED(status) && result == 0) result = WEXITSTATUS(status);
    if (WIFSIGNALED(status) && !(kill_wanted && WTERMSIG(status) == SIGKILL)) {
      result = complain("process " + std::to_string(ranks[i]) + " was ended by signal " +
                        std::to_string(WTERMSIG(status)));
    }
  }
  return result;
}

int launch(const EmulateOptions& options) {
  const bool one = options.place.rank != kNobody;
  const int each = options.ranks_per_process;
  const size_t children = one ? 1 : static_cast<size_t>(options.place.world / each);
  CallCounts* counts = map_shared<CallCounts>(children);
  if (counts == nullptr) return complain("no shared memory for the counts");
  BootstrapOptions where{options.place.rank, options.place.world, options.place.master, -1};
  if (!one) {
    const auto listening = listen_on("127.0.0.1", 0);
    if (!listening.ok()) return complain(listening.message());
    where.listening = listening.value().first;
    where.master = "127.0.0.1:" + std::to_string(listening.value().second);
  }
  fflush(nullptr);
  std::vector<pid_t> ranks(children);
  for (size_t i = 0; i < children; ++i) {
    if (!one) where.rank = static_cast<int>(i) * each;
    ranks[i] = fork();
    if (ranks[i] == 0) exit(run_process(options, where, counts + i));
  }
  if (where.listening >= 0) close(where.listening);
  if (options.kill_after_us >= 0) {
    usleep(static_cast<useconds_t>(options.kill_after_us));
    for (const pid_t rank : ranks) kill(rank, SIGKILL);
  }
  const int result = wait_for_ranks(options, ranks);
  CountSum sum;
  for (size_t i = 0; i < children; ++i) {
    const int rank = one ? options.place.rank : static_cast<int>(i);
    const Status status =
        append_counts(truth_path(options.truth, rank, options.place.world), rank, counts[i]);
    if (!status.ok()) return complain(status.message());
    sum.add(counts[i]);
  }
  printf("{\"processes\":%zu,%s}\n", children, sum.json_members().c_str());
  return result;
}

}  // namespace
}  // namespace lockstep::driver

int main(int argc, char** argv) {
  lockstep::driver::EmulateOptions options;
  const int status = lockstep::driver::parse_command_line(argc, argv, &options);
  return status >= 0 ? status : lockstep::driver::launch(options);
}
