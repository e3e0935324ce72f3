// What a call costs after `lockstep ctl DIR events none`, against a plugin that was never enabled:
// the first operation after the answer, and the mean of many, from one run of both. One JSON object
// per line, then the ratio.
//
//   build/bench/switched_off [PLUGIN.so]
#include <sys/wait.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/clock_ns.h"
#include "bench/plugin_host.h"
#include "bench/switch_off.h"
#include "plugin/record/tick_clock.h"

namespace {

using namespace lockstep;

constexpr unsigned kRounds = 200, kPerRound = 5'000, kCalls = 3;

// Nanoseconds of a start, a state and a stop, `n` times.
double call_ns(const bench::Host& host, bench::Descr& d, unsigned n) {
  const uint64_t before = static_cast<uint64_t>(raw_now_ns());
  for (unsigned i = 0; i < n; ++i) {
    void* handle = host.start(d);
    host.state(handle, static_cast<abi::State>(kSendWait), i);
    host.stop(handle);
  }
  return static_cast<double>(static_cast<uint64_t>(raw_now_ns()) - before);
}

// In a process of its own, because a process decides once whether it records. Gives the median ns
// of a call; negative when something failed.
double measure(const char* path, bool enabled) {
  int ends[2];
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const std::string directory = "/tmp/lockstep-bench-" + std::to_string(getpid());
    setenv("LOCKSTEP_ENABLE", enabled ? "1" : "0", 1);
    setenv("LOCKSTEP_EVENTS", "all", 1);
    setenv("LOCKSTEP_DIR", directory.c_str(), 1);
    bench::Host host = bench::Host::load(path);
    host.init(1);
    bench::Descr d = bench::descriptor(Kind::ProxyStep, nullptr);
    call_ns(host, d, 10'000);
    if (enabled && !bench::switch_off(directory.c_str())) _exit(3);
    const double first_ns = call_ns(host, d, 1);
    std::vector<double> rounds;
    for (unsigned i = 0; i < kRounds; ++i) rounds.push_back(call_ns(host, d, kPerRound));
    std::sort(rounds.begin(), rounds.end());
    const double each_ns = rounds[kRounds / 2] / (kPerRound * kCalls);
    std::printf("{\"plugin\":\"%s\",\"first_operation_ns\":%.0f,\"call_ns\":%.2f}\n",
                enabled ? "events none" : "inert", first_ns, each_ns);
    std::fflush(stdout);
    host.finalize();
    const bool told = write(ends[1], &each_ns, sizeof each_ns) == sizeof each_ns;
    if (enabled && std::system(("rm -rf " + directory).c_str()) != 0) _exit(3);
    _exit(told ? 0 : 3);
  }
  close(ends[1]);
  double each_ns = -1;
  if (read(ends[0], &each_ns, sizeof each_ns) != sizeof each_ns) each_ns = -1;
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return each_ns;
}

}  // namespace

int main(int argc, char** argv) {
  const char* path = argc > 1 ? argv[1] : "build/libnccl-profiler.so";
  const double inert_ns = measure(path, false), none_ns = measure(path, true);
  if (inert_ns <= 0 || none_ns <= 0) return 3;
  std::printf("{\"events_none_to_inert\":%.2f}\n", none_ns / inert_ns);
  return 0;
}
