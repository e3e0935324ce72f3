// What the hosts did to the threads of a run, as tables (docs/schema.md): rows of `<host>.load`, with
// differences in place of the kernel's totals, on the run's time axis. They are streamed to a LoadSink,
// for a day of a host has millions. Texts live during the call only. kNoTime: the kernel did not say, or
// there is no row before to compare with.
#pragma once

#include <cstdint>
#include <string_view>

#include "analysis/tables/tables.h"

namespace lockstep::analysis {

// `thread_load`: one thread from one sample to the next.
struct ThreadLoadRow {
  uint32_t process = kNoRow;  // row of `processes`
  std::string_view host, thread;
  uint32_t pid = 0, tid = 0;
  int64_t at_ns = kNoTime;
  int64_t interval_ns = kNoTime;  // since the sample before: what the next three are about
  int64_t run_ns = kNoTime;       // on a processor
  int64_t wait_ns = kNoTime;      // could have run and had no processor
  int64_t timeslices = kNoTime;
  int64_t total_run_ns = kNoTime, total_wait_ns = kNoTime;  // since the thread began
  // Once a second, since the last time.
  int64_t voluntary_switches = kNoTime, involuntary_switches = kNoTime;
  int64_t minor_faults = kNoTime, major_faults = kNoTime;
  int64_t processor = kNoTime, processors_allowed = kNoTime;  // at that time
};

// `host_load`: a host, or one of its cgroups, from one second to the next.
struct HostLoadRow {
  std::string_view host, cgroup;  // no cgroup: the whole host
  int64_t at_ns = kNoTime;
  int64_t interval_ns = kNoTime;
  double processors = -1;  // online, or the cgroup's quota; -1 = no quota, or not known
  int64_t runnable = kNoTime;
  double load1 = -1;  // -1 = not known
  // Of the interval.
  int64_t cpu_pressure_ns = kNoTime, memory_pressure_ns = kNoTime, memory_stall_ns = kNoTime;
  int64_t io_pressure_ns = kNoTime, io_stall_ns = kNoTime;
  int64_t quota_periods = kNoTime, throttled_periods = kNoTime, throttled_ns = kNoTime;
  int64_t memory_limit_hits = kNoTime, oom_kills = kNoTime;
  int64_t memory_refaults = kNoTime;
  int64_t only_pid = kNoTime;  // of the only process of this run in the cgroup
  int64_t memory_bytes = kNoTime, memory_limit_bytes = kNoTime;  // at that time
};

// `nic_counters`: a counter that changed.
struct NicCounterRow {
  std::string_view host, device, counter;
  uint32_t port = 0;
  int64_t at_ns = kNoTime;
  int64_t value = 0;
  int64_t change = kNoTime;  // since the value before
};

// `gpu_state`: a fact of a GPU that changed.
struct GpuStateRow {
  std::string_view host, gpu, fact;  // gpu: its UUID
  uint32_t gpu_index = 0;            // NVML's
  int64_t at_ns = kNoTime;
  int64_t value = 0;
  int64_t change = kNoTime;  // since the value before
};

class LoadSink {
 public:
  virtual ~LoadSink() = default;
  virtual void thread_load(const ThreadLoadRow&) {}
  virtual void host_load(const HostLoadRow&) {}
  virtual void nic_counter(const NicCounterRow&) {}
  virtual void gpu_state(const GpuStateRow&) {}
};

}  // namespace lockstep::analysis
