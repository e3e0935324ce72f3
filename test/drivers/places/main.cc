// lockstep-places PLUGIN --ranks N [--python SCRIPT]: N processes that record, each standing in a known function:
// rank r in the place r modulo 3, or modulo 4 with a script that Python runs with PLUGIN, RANK, RANKS and the number
// of a descriptor to write a byte to when it stands. Prints "RANK PID PLACE" for each when all stand; ends with a
// signal, and its processes with it.
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "base/command_line.h"
#include "test/drivers/common/plugin.h"
#include "test/drivers/common/shared_memory.h"

// Written to after a call, so that no call is the last thing that its function does.
volatile int left = 0;

[[gnu::noinline]] void reads_a_pipe() {
  int ends[2] = {-1, -1};
  char byte = 0;
  if (pipe(ends) == 0 && read(ends[0], &byte, 1) == 1) left = 1;
  left = left + 1;
}

[[gnu::noinline]] void waits_for_a_lock() {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  pthread_mutex_lock(&lock);
  left = left + 1;
}

[[gnu::noinline]] void sleeps_in_a_loop() {
  while (left == 0) usleep(50'000);
  left = left + 1;
}

namespace lockstep::driver {
namespace {

struct Place {
  const char* name;
  void (*stand)();
};
constexpr Place kPlaces[] = {{"reads_a_pipe", reads_a_pipe},
                             {"waits_for_a_lock", waits_for_a_lock},
                             {"sleeps_in_a_loop", sleeps_in_a_loop}};
constexpr const char* kPythonPlace = "python";

struct Options {
  std::string plugin, python;
  int ranks = 4;
};

int complain(const std::string& sentence) {
  std::fprintf(stderr, "lockstep-places: %s\n", sentence.c_str());
  return 3;
}

int run_python(const Options& options, int rank, int ready) {
  const std::string of = std::to_string(rank), ranks = std::to_string(options.ranks),
                    descriptor = std::to_string(ready);
  execlp("python3", "python3", "-B", options.python.c_str(), options.plugin.c_str(), of.c_str(),
         ranks.c_str(), descriptor.c_str(), nullptr);
  return complain("cannot start python3");
}

int run_rank(const Options& options, const Place& place, int rank, int ready, CallCounts* counts) {
  const auto plugin = Plugin::load({options.plugin, 0}, counts);
  if (!plugin.ok()) return complain(plugin.message());
  plugin.value()->init({"world", 0x77, 1, options.ranks, rank});
  if (write(ready, "x", 1) == 1) place.stand();
  return 1;
}

int launch(const Options& options) {
  const int places = options.python.empty() ? 3 : 4;
  auto* counts = map_shared<CallCounts>(static_cast<size_t>(options.ranks));
  int ready[2] = {-1, -1};
  if (counts == nullptr || pipe(ready) != 0) return complain("no shared memory or no pipe");
  std::vector<pid_t> pids;
  for (int rank = 0; rank < options.ranks; ++rank) {
    pids.push_back(fork());
    if (pids.back() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int place = rank % places;
    _exit(place == 3 ? run_python(options, rank, ready[1])
                     : run_rank(options, kPlaces[place], rank, ready[1], counts + rank));
  }
  close(ready[1]);
  char byte = 0;
  for (int rank = 0; rank < options.ranks; ++rank)
    if (read(ready[0], &byte, 1) != 1) return complain("a rank has ended");
  for (int rank = 0; rank < options.ranks; ++rank) {
    const int place = rank % places;
    std::printf("%d %d %s\n", rank, static_cast<int>(pids[static_cast<size_t>(rank)]),
                place == 3 ? kPythonPlace : kPlaces[place].name);
  }
  std::fflush(stdout);
  pause();
  return 0;
}

}  // namespace
}  // namespace lockstep::driver

int main(int argc, char** argv) {
  lockstep::driver::Options options;
  lockstep::base::Program program(
      "Processes that record and stand in known functions, to read stacks of.");
  program.option("plugin", &options.plugin, "the plugin's .so").required();
  program.option("--ranks", &options.ranks, "processes").between(1, 1024);
  program.option("--python", &options.python, "every fourth rank runs this script");
  if (const auto status = program.parse(argc, argv)) return *status;
  return lockstep::driver::launch(options);
}
