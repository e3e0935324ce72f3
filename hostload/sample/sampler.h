// One host's sampler: what to read when. The caller calls tick() every 100 ms and takes the chunk away
// once a second. Reads /proc, /sys and memory files: some 25 us a tick with 32 threads, some 2 ms that of
// each second, which looks at everything. Adapters and GPUs are read on threads of their own, so that
// what a tick takes of them is a second old. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "hostload/sample/counter_changes.h"
#include "hostload/sample/host_sampler.h"
#include "hostload/sample/recorded_threads.h"
#include "hostload/sample/slow_reader.h"
#include "hostload/sample/thread_sampler.h"

namespace lockstep::hostload {

constexpr int64_t kTickNs = 100'000'000;
// Ticks from one reading of what changes slowly to the next.
constexpr uint64_t kTicksASecond = 10;

struct SamplerOptions {
  std::string root;  // before /proc and /sys; empty but for tests
  std::string host;  // as in the names of the run's files
  std::string run_directory;
  std::vector<std::string> memory_folders;  // where the memory files of this host's processes lie
  bool gpus = false;                        // reads them, too
};

class Sampler {
 public:
  explicit Sampler(const SamplerOptions& options);

  void tick();
  // Everything since the last take().
  LoadChunk take();

 private:
  void look_for_threads();
  void read_counters();

  std::string root_;
  LoadChunk origin_;  // a chunk without rows
  LoadChunk chunk_;
  uint64_t ticks_ = 0;
  std::set<uint32_t> pids_;  // of the processes whose cgroups are sampled
  RecordedThreads recorded_;
  ThreadSampler threads_;
  HostSampler host_;
  CounterChanges counters_, gpu_counters_;
  std::optional<SlowReader> infiniband_, gpus_;
};

}  // namespace lockstep::hostload
