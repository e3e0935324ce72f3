// Calls a plugin as fast as it goes, or at a given rate, from several threads of one process: what
// real NCCL would do in a burst, without its work. For tests of overflow, kills, held-up disks and
// cost.
//
//   lockstep-storm PLUGIN [--threads 2] [--operations N | --seconds S] [--steps 4] [--rate PER_S]
//                  [--comms 1] [--generations 1] [--until FILE] [--truth FILE] [--latency]
//                  [--unnamed] [--fork] [--end finalize|exit|exit-amid-calls|wait]
//
// One operation is an all-reduce of two channels: 18 calls of the launching side (with both
// KernelCh), one ProxyOp and `steps` send steps of 5 calls. Prints the counts of the calls made;
// and the longest call; --truth keeps the counts in a file that survives a SIGKILL. --latency
// prints percentiles of single calls. --until calls until there is such a file, or SIGTERM comes.
// --generations repeats all of it with communicators anew; `first` (before them), `second` and
// `last` say what the process held of threads, files, mappings and memory. --end wait sleeps for
// ever when done. --end exit-amid-calls exits while the threads are in the middle of their
// operations, which they go on with when the plugin's exit handler is through (needs --operations);
// then only the counts are printed.
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock_ns.h"
#include "plugin/record/tick_clock.h"
#include "test/drivers/common/plugin.h"
#include "test/drivers/common/shared_memory.h"
#include "test/drivers/storm/census.h"
#include "test/drivers/storm/exit_amid_calls.h"
#include "test/drivers/storm/options.h"

namespace {

using namespace lockstep;
using driver::Options;
using driver::Plugin;
using Clock = std::chrono::steady_clock;

std::atomic<bool> stopping{false};
char stopped_by[16] = "";  // the name of the thread that got SIGTERM

void on_sigterm(int) {
  prctl(PR_GET_NAME, stopped_by);
  stopping.store(true);
}

void wait_for(const std::string& file) {
  while (!stopping && access(file.c_str(), F_OK) != 0) usleep(1000);
  stopping.store(true);
}

class Caller {
 public:
  Caller(Plugin& plugin, void* context, const Options& options)
      : plugin_(plugin), context_(context), options_(options) {}

  void run() {
    const auto begin = Clock::now();
    const auto end = begin + std::chrono::duration<double>(options_.seconds);
    for (uint64_t i = 0; !stopping.load(std::memory_order_relaxed) &&
                         (options_.operations != 0 ? i < options_.operations
                                                   : !options_.until.empty() || Clock::now() < end);
         ++i) {
      if (options_.rate > 0) {
        std::this_thread::sleep_until(
            begin + std::chrono::duration_cast<Clock::duration>(
                        std::chrono::duration<double>(static_cast<double>(i) / options_.rate)));
      }
      operation(i);
    }
  }
  const std::vector<uint32_t>& ticks() const { return ticks_; }
  uint64_t longest_ticks() const { return longest_ticks_; }

 private:
  template <typename F>
  void timed(F call) {
    const uint64_t before = plugin::read_counter();
    call();
    const uint64_t took = plugin::read_counter() - before;
    longest_ticks_ = std::max(longest_ticks_, took);
    if (options_.latency)
      ticks_.push_back(static_cast<uint32_t>(std::min<uint64_t>(took, UINT32_MAX)));
  }
  void* start(Kind kind, abi::v7::EventDescr d) {
    void* handle = nullptr;
    d.type = uint64_t{1} << static_cast<unsigned>(kind);
    timed([&] { plugin_.start(kind, context_, &handle, d); });
    return handle;
  }
  void stop(Kind kind, void* handle) {
    timed([&] { plugin_.stop(kind, handle); });
  }
  void record(Kind kind, void* handle, abi::State state, uint64_t argument) {
    abi::StateArgsV4 args{};
    args.p_timer = argument;
    timed([&] { plugin_.record(kind, handle, state, &args); });
  }

  void operation(uint64_t ordinal) {
    abi::v7::EventDescr d{};
    d.group_api = {false, 1};
    void* api = start(Kind::GroupApi, d);
    record(Kind::GroupApi, api, abi::kGroupStartApiStop, 0);
    d = {};
    d.parent = api;
    d.coll_api = {"AllReduce", 1 << 20, "ncclFloat32", 0, nullptr, false, 0};
    void* coll_api = start(Kind::CollApi, d);
    stop(Kind::CollApi, coll_api);
    record(Kind::GroupApi, api, abi::kGroupEndApiStart, 0);
    d = {};
    d.parent = api;
    stop(Kind::KernelLaunch, start(Kind::KernelLaunch, d));
    void* group = start(Kind::Group, {});
    d = {};
    d.parent = coll_api;
    d.coll = {ordinal, "AllReduce", nullptr, nullptr, 1 << 20, 0, "ncclFloat32", 2, 9,
              "RING",  "SIMPLE",    group,   nullptr, false,   0};
    void* coll = start(Kind::Coll, d);
    if (options_.end == "exit-amid-calls" && ordinal == options_.operations / 2)
      driver::exit_amid_calls::wait();
    stop(Kind::Coll, coll);
    stop(Kind::Group, group);
    stop(Kind::GroupApi, api);
    for (uint8_t channel = 0; channel < 2; ++channel) kernel(coll, channel);
    proxy_op(coll);
  }

  void kernel(void* coll, uint8_t channel) {
    const uint64_t gpu_ns = static_cast<uint64_t>(real_now_ns());
    abi::v7::EventDescr d{};
    d.parent = coll;
    d.kernel_ch = {channel, gpu_ns};
    void* handle = start(Kind::KernelCh, d);
    record(Kind::KernelCh, handle, abi::kKernelChStop, gpu_ns + 1000);
    stop(Kind::KernelCh, handle);
  }

  void proxy_op(void* coll) {
    abi::v7::EventDescr d{};
    d.parent = coll;
    d.proxy_op = {static_cast<int32_t>(getpid()),       0,       1,
                  static_cast<int32_t>(options_.steps), 4 << 20, 1};
    void* op = start(Kind::ProxyOp, d);
    record(Kind::ProxyOp, op, abi::kProxyOpInProgress, 0);
    for (unsigned i = 0; i < options_.steps; ++i) {
      d = {};
      d.parent = op;
      d.proxy_step = {static_cast<int32_t>(i)};
      void* step = start(Kind::ProxyStep, d);
      record(Kind::ProxyStep, step, abi::kProxyStepSendGpuWait, 0);
      record(Kind::ProxyStep, step, abi::kProxyStepSendPeerWait, 0);
      record(Kind::ProxyStep, step, abi::kProxyStepSendWait, 1 << 20);
      stop(Kind::ProxyStep, step);
    }
    stop(Kind::ProxyOp, op);
  }

  Plugin& plugin_;
  void* context_;
  const Options& options_;
  std::vector<uint32_t> ticks_;
  uint64_t longest_ticks_ = 0;
};

// What single calls took, in ticks: all of them with --latency, the longest always.
struct Latencies {
  std::vector<uint32_t> all;
  uint64_t longest = 0;
};

void print_latency(std::vector<uint32_t> ticks, double ns_per_tick) {
  if (ticks.empty()) return;
  std::sort(ticks.begin(), ticks.end());
  auto at = [&](double share) {
    return ticks[static_cast<size_t>(share * static_cast<double>(ticks.size() - 1))] * ns_per_tick;
  };
  std::fprintf(stderr,
               "calls %zu p50 %.0f ns p99 %.0f ns p99.9 %.0f ns p99.99 %.0f ns max %.0f ns\n",
               ticks.size(), at(0.5), at(0.99), at(0.999), at(0.9999), at(1));
}

// The child has the plugin's memory and none of its threads. Its calls are nobody's: they are not
// in the counts.
void storm_in_a_child(Plugin& plugin, void* context, Options options) {
  const pid_t child = fork();
  if (child == 0) {
    abi::v7::EventDescr d{};
    d.type = abi::kGroup;
    void* handle = nullptr;
    void* other = plugin.init({"child", 1, 1, 1, 0});
    auto calls = std::make_unique<driver::CallCounts>();
    auto quiet = Plugin::load({options.plugin, 0}, calls.get());
    quiet.value()->start(Kind::Group, context, &handle, d);
    quiet.value()->stop(Kind::Group, handle);
    plugin.finalize(other);
    std::exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (status != 0) std::exit(3);
}

std::string counts_as_json(const driver::CallCounts& counts) {
  driver::CountSum sum;
  sum.add(counts);
  return sum.json_members();
}

// One life of the communicators. The number of the process's threads while they live.
int storm(const Options& options, Plugin& plugin, driver::CallCounts* counts,
          Latencies* latencies) {
  std::vector<void*> contexts;
  for (unsigned i = 0; i < options.comms; ++i) {
    contexts.push_back(plugin.init({"storm", 0x1000u + i, 1, 1, 0}));
  }
  const int threads_of_process = driver::take_census().threads;
  if (options.fork_child) storm_in_a_child(plugin, contexts[0], options);
  std::vector<Caller> callers;
  callers.reserve(options.threads);
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < options.threads; ++i) {
    callers.emplace_back(plugin, contexts[i % options.comms], options);
    threads.emplace_back([&caller = callers.back()] { caller.run(); });
  }
  if (!options.until.empty()) threads.emplace_back(wait_for, options.until);
  if (options.end == "exit-amid-calls") {
    driver::exit_amid_calls::exit_now(
        &threads, [counts] { std::printf("{%s}\n", counts_as_json(*counts).c_str()); });
  }
  for (auto& thread : threads) thread.join();
  for (const Caller& caller : callers) {
    latencies->all.insert(latencies->all.end(), caller.ticks().begin(), caller.ticks().end());
    latencies->longest = std::max(latencies->longest, caller.longest_ticks());
  }
  if (options.end == "finalize") {
    for (void* context : contexts) plugin.finalize(context);
  }
  return threads_of_process;
}

int run(const Options& options, Plugin& plugin, driver::CallCounts* counts) {
  const uint64_t ns0 = static_cast<uint64_t>(raw_now_ns()), ticks0 = plugin::read_counter();
  Latencies latencies;
  int threads = 0;
  // The second life is the first that finds everything as later ones do.
  const driver::Census first = driver::take_census();
  driver::Census second;
  for (unsigned i = 0; i < options.generations; ++i) {
    threads = storm(options, plugin, counts, &latencies);
    if (i < 2) second = driver::take_census();
  }
  const double ns_per_tick = static_cast<double>(static_cast<uint64_t>(raw_now_ns()) - ns0) /
                             static_cast<double>(plugin::read_counter() - ticks0);
  print_latency(std::move(latencies.all), ns_per_tick);
  std::printf(
      "{\"mask\":%llu,\"threads\":%d,\"longest_call_us\":%.0f,\"stopped_by\":\"%s\",\"first\":%s,"
      "\"second\":%s,\"last\":%s,%s}\n",
      static_cast<unsigned long long>(plugin.mask()), threads,
      static_cast<double>(latencies.longest) * ns_per_tick / 1000, stopped_by,
      to_json(first).c_str(), to_json(second).c_str(),
      to_json(driver::take_last_census(first)).c_str(), counts_as_json(*counts).c_str());
  std::fflush(stdout);
  while (options.end == "wait") pause();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (!driver::parse(argc, argv, &options)) {
    driver::print_usage();
    return 2;
  }
  if (!options.until.empty()) std::signal(SIGTERM, on_sigterm);
  if (options.end == "exit-amid-calls") driver::exit_amid_calls::prepare();
  if (!options.unnamed) setenv("NCCL_PROFILER_PLUGIN", options.plugin.c_str(), 1);
  driver::CallCounts* counts = nullptr;
  if (options.truth.empty()) {
    counts = driver::map_shared<driver::CallCounts>(1);
  } else if (auto mapped = driver::map_file<driver::CallCounts>(options.truth); mapped.ok()) {
    counts = mapped.value();
  }
  if (counts == nullptr) return std::fprintf(stderr, "no memory for the counts\n"), 3;
  auto plugin = Plugin::load({options.plugin, 0}, counts);
  if (!plugin.ok()) return std::fprintf(stderr, "%s\n", plugin.message().c_str()), 3;
  return run(options, *plugin.value(), counts);
}
