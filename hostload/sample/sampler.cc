#include "hostload/sample/sampler.h"

#include "base/clock_ns.h"
#include "base/system.h"
#include "hostload/sample/infiniband.h"
#include "hostload/sample/kernel_text.h"
#include "hostload/sample/net_counters.h"
#include "hostload/sample/nvml.h"

namespace lockstep::hostload {
namespace {

// A process may be moved to another cgroup, or a group get a limit, but seldom is.
constexpr uint64_t kTicksOfCgroups = 10 * kTicksASecond;

std::vector<CounterReading> read_adapters(const std::string& root) {
  std::vector<CounterReading> readings;
  read_infiniband(root, [&](const LoadCounter& counter, int64_t value) {
    readings.push_back({counter, raw_now_ns(), value});
  });
  return readings;
}

LoadChunk origin_of(const SamplerOptions& options) {
  LoadChunk chunk;
  chunk.host = options.host;
  const std::string boot = read_kernel_file(options.root + "/proc/sys/kernel/random/boot_id");
  std::string_view left = boot;
  chunk.boot_id = take_line(&left);
  chunk.clock_namespace = link_target(options.root + "/proc/self/ns/time");
  return chunk;
}

}  // namespace

Sampler::Sampler(const SamplerOptions& options)
    : root_(options.root),
      origin_(origin_of(options)),
      chunk_(origin_),
      recorded_({options.root, options.memory_folders, options.run_directory}),
      threads_(options.root),
      host_(options.root) {
  if (has_infiniband(root_))
    infiniband_.emplace("lockstep-ib", [root = root_] { return read_adapters(root); });
  if (options.gpus) gpus_.emplace("lockstep-nvml", read_gpus);
}

void Sampler::look_for_threads() {
  std::vector<LoadThread> found;
  recorded_.look(&found);
  threads_.add(found);
  // All that are sampled: one look finds only some of the threads again.
  std::set<uint32_t> pids = threads_.pids();
  if (pids == pids_ && ticks_ % kTicksOfCgroups != 0) return;
  host_.set_processes(pids);
  pids_ = std::move(pids);
}

void Sampler::read_counters() {
  const int64_t raw_ns = raw_now_ns();
  const auto add = [this](const LoadCounter& counter, int64_t at_raw_ns, int64_t value) {
    counters_.add(counter, at_raw_ns, value, &chunk_.counters, &chunk_.counter_values);
  };
  read_net_counters(
      root_, [&](const LoadCounter& counter, int64_t value) { add(counter, raw_ns, value); });
  if (infiniband_) {
    for (const CounterReading& one : infiniband_->take()) add(one.counter, one.raw_ns, one.value);
  }
  if (!gpus_) return;
  for (const CounterReading& one : gpus_->take())
    gpu_counters_.add(one.counter, one.raw_ns, one.value, &chunk_.gpu_facts, &chunk_.gpu_values);
}

void Sampler::tick() {
  const bool second = ticks_ % kTicksASecond == 0;
  // A run is a few milliseconds old when its sampler starts: most threads have no block yet.
  if (second || ticks_ < kTicksASecond) look_for_threads();
  threads_.sample(second, &chunk_);
  if (second) {
    host_.sample(&chunk_);
    read_counters();
  }
  ++ticks_;
}

LoadChunk Sampler::take() {
  LoadChunk taken = std::move(chunk_);
  chunk_ = origin_;
  threads_.begin_chunk();
  counters_.begin_chunk();
  gpu_counters_.begin_chunk();
  return taken;
}

}  // namespace lockstep::hostload
