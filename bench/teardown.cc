// What it costs the thread that ends communicators when the plugin asks for a report first: the end of the first of two
// communicators, after which the file is asked for, and of the second, after which the plugin's threads are gone. Each
// with every operation done, as at ncclCommFinalize, and with operations open, as at ncclCommAbort: NCCL calls the same
// function for both. Processes with and without the wish take turns, 60 of each; medians and their ratio.
//
//   build/bench/teardown [PLUGIN.so]
//   build/bench/teardown PLUGIN.so asked|plain: one of them, in LOCKSTEP_DIR. The first end stands between two calls of
//     getppid, for who counts system calls (test/spine/teardown_waits_for_nobody.sh).
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/clock_ns.h"
#include "bench/plugin_host.h"

namespace {

using namespace lockstep;

constexpr int kRounds = 60, kOperations = 1000;
constexpr useconds_t kSettledUs = 20'000;  // the plugin's threads have come to rest

enum class Ends { Finalized, Aborted };
using Times = std::array<double, 2>;  // us: of the first communicator's end, of the last one's

void record(bench::Host& host, Ends how) {
  bench::Descr coll = bench::descriptor(Kind::Coll, nullptr);
  for (int i = 0; i < kOperations; ++i) {
    void* operation = host.start(coll);
    if (how == Ends::Finalized) host.stop(operation);
  }
}

Times end_two(const std::string& plugin, Ends how) {
  bench::Host host = bench::Host::load(plugin);
  std::array<void*, 2> contexts{};
  for (size_t i = 0; i < contexts.size(); ++i) {
    host.init(0x1000 + i);
    contexts[i] = host.context;
    record(host, how);
  }
  usleep(kSettledUs);
  Times took{};
  for (size_t i = 0; i < contexts.size(); ++i) {
    syscall(SYS_getppid);
    const int64_t begin_ns = mono_now_ns();
    host.table.finalize(contexts[i]);
    took[i] = static_cast<double>(mono_now_ns() - begin_ns) / 1e3;
    syscall(SYS_getppid);
    usleep(kSettledUs);
  }
  return took;
}

// The plugin asks where `lockstep run` has left its note.
void make_watched(const std::string& run) {
  std::filesystem::create_directories(run);
  chmod(run.c_str(), 0700);
  std::fclose(std::fopen((run + "/run.json").c_str(), "w"));
}

// In a process of its own, that loads the plugin anew.
Times measured(const std::string& plugin, const std::string& run, bool asked, Ends how) {
  std::filesystem::remove_all(run);
  if (asked) make_watched(run);
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0) std::exit(3);
  const pid_t child = fork();
  if (child == 0) {
    setenv("LOCKSTEP_DIR", run.c_str(), 1);
    const Times took = end_two(plugin, how);
    std::_Exit(write(pipe_ends[1], took.data(), sizeof took) == sizeof took ? 0 : 3);
  }
  Times took{};
  close(pipe_ends[1]);
  if (read(pipe_ends[0], took.data(), sizeof took) != sizeof took) std::exit(3);
  close(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  const bool was_asked = std::filesystem::exists(run + "/snapshot.wanted");
  if (was_asked != asked) {
    std::fprintf(stderr, "snapshot.wanted is%s there\n", was_asked ? "" : " not");
    std::exit(3);
  }
  return took;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const std::string& plugin, const std::string& run, Ends how) {
  std::vector<double> took[2][2];  // [asked][first, last]
  for (int round = 0; round < kRounds; ++round) {
    for (const bool asked : {round % 2 == 0, round % 2 != 0}) {
      const Times times = measured(plugin, run, asked, how);
      for (size_t i = 0; i < times.size(); ++i) took[asked ? 1 : 0][i].push_back(times[i]);
    }
  }
  for (size_t i = 0; i < 2; ++i) {
    const double plain = median(took[0][i]), asked = median(took[1][i]);
    std::printf("%-10s %-6s %12.1f %12.1f %8.2f\n",
                how == Ends::Finalized ? "finalized" : "aborted", i == 0 ? "first" : "last", plain,
                asked, asked / plain);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string plugin = argc > 1 ? argv[1] : "build/libnccl-profiler.so";
  setenv("LOCKSTEP_ENABLE", "1", 1);
  setenv("LOCKSTEP_CLOCK", "0", 0);
  setenv("LOCKSTEP_HOST_LOAD", "0", 0);
  if (argc > 2) {
    if (std::string(argv[2]) == "asked") make_watched(getenv("LOCKSTEP_DIR"));
    end_two(plugin, Ends::Finalized);
    return 0;
  }
  const std::string run = "/tmp/lockstep-bench-teardown-" + std::to_string(getpid());
  std::printf("%-10s %-6s %12s %12s %8s\n", "", "", "plain us", "asked us", "ratio");
  for (const Ends how : {Ends::Finalized, Ends::Aborted}) compare(plugin, run, how);
  std::filesystem::remove_all(run);
  return 0;
}
