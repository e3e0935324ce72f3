// What the sampler of one host writes and every reader reads: the file `<host>.load` beside the segments, chunks of the
// rows below (hostload/record has the bytes). A chunk stands alone: its rows name threads, cgroups and counters by their
// place in its own lists. Plain data only.
//
// `raw_ns` is CLOCK_MONOTONIC_RAW of the writing host at the moment of the reading, as in segments. Every other `_ns`
// and every count is the kernel's own total since its subject began to exist; readers take differences. kNotSampled: the
// kernel did not say.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

inline constexpr const char* kLoadFileSuffix = ".load";
constexpr int64_t kNotSampled = -1;

// A thread that records, of a process of this run.
struct LoadThread {
  uint64_t process_uid = 0;  // as in the segments
  uint32_t pid = 0, tid = 0;
  std::string name;
};

// Every 100 ms: /proc/PID/task/TID/schedstat.
struct ThreadTimes {
  int64_t thread = 0;  // place in LoadChunk::threads
  int64_t raw_ns = 0;
  int64_t run_ns = kNotSampled;      // on a processor
  int64_t wait_ns = kNotSampled;     // could have run and had no processor
  int64_t timeslices = kNotSampled;  // times it was given a processor
};

// Once a second, right after the times: the thread's `status` and `stat`.
struct ThreadEvents {
  int64_t thread = 0;
  int64_t raw_ns = 0;                          // of the times before
  int64_t voluntary_switches = kNotSampled;    // it began to wait for something
  int64_t involuntary_switches = kNotSampled;  // another thread took its processor
  int64_t minor_faults = kNotSampled, major_faults = kNotSampled;
  int64_t processor = kNotSampled;           // that it ran on last
  int64_t processors_allowed = kNotSampled;  // how many its affinity leaves it
};

// Once a second: the whole host, or one cgroup.
struct HostLoad {
  int64_t cgroup = 0;  // place in LoadChunk::cgroups; the first is the whole host
  int64_t raw_ns = 0;
  int64_t millis_of_processors =
      kNotSampled;                 // online, or the cgroup's quota, in thousandths of a processor
  int64_t runnable = kNotSampled;  // threads that run or could run now
  int64_t load1_millis = kNotSampled;  // the load average of the last minute, in thousandths
  // Pressure stall totals: some, or all, of the threads that were not idle waited.
  int64_t cpu_some_ns = kNotSampled;
  int64_t memory_some_ns = kNotSampled, memory_full_ns = kNotSampled;
  int64_t io_some_ns = kNotSampled, io_full_ns = kNotSampled;
  // Of the processor quota: periods that began, those in which it ran out, and the time spent without.
  int64_t periods = kNotSampled, throttled_periods = kNotSampled, throttled_ns = kNotSampled;
  int64_t memory_bytes = kNotSampled, memory_limit_bytes = kNotSampled;
  int64_t memory_limit_hits = kNotSampled, oom_kills = kNotSampled;
  // Pages of files that were read again after memory had thrown them out.
  int64_t memory_refaults = kNotSampled;
  int64_t only_pid = kNotSampled;  // of the process that is the only one of this run in the cgroup
};

// A counter of a network port. Devices are what /sys calls them, and `tcp` for all connections of the host.
struct LoadCounter {
  std::string device;
  uint32_t port = 0;  // InfiniBand's, from 1; else 0
  std::string name;
};

// Once a second where the value is another than before, and once when the sampler began.
struct CounterValue {
  int64_t counter = 0;  // place in LoadChunk::counters
  int64_t raw_ns = 0;
  int64_t value = 0;
};

struct LoadChunk {
  std::string host, boot_id;
  std::string clock_namespace;  // whose raw clock it is: "time:[4026531834]"
  std::vector<LoadThread> threads;
  std::vector<std::string> cgroups;  // the first is empty: the whole host
  std::vector<LoadCounter> counters;
  std::vector<LoadCounter> gpu_facts;  // device: the GPU's UUID, port: its index
  std::vector<ThreadTimes> thread_times;
  std::vector<ThreadEvents> thread_events;
  std::vector<HostLoad> host_loads;
  std::vector<CounterValue> counter_values;
  std::vector<CounterValue> gpu_values;  // of gpu_facts
};

// The fields of each row in the order of the file; the first is the row's subject. New ones go to the end.
template <class Row>
struct LoadFields;
template <>
struct LoadFields<ThreadTimes> {
  using R = ThreadTimes;
  static constexpr std::array<int64_t R::*, 5> kAll = {&R::thread, &R::raw_ns, &R::run_ns,
                                                       &R::wait_ns, &R::timeslices};
};
template <>
struct LoadFields<ThreadEvents> {
  using R = ThreadEvents;
  static constexpr std::array<int64_t R::*, 8> kAll = {
      &R::thread,       &R::raw_ns,       &R::voluntary_switches, &R::involuntary_switches,
      &R::minor_faults, &R::major_faults, &R::processor,          &R::processors_allowed};
};
template <>
struct LoadFields<HostLoad> {
  using R = HostLoad;
  static constexpr std::array<int64_t R::*, 19> kAll = {&R::cgroup,
                                                        &R::raw_ns,
                                                        &R::millis_of_processors,
                                                        &R::runnable,
                                                        &R::load1_millis,
                                                        &R::cpu_some_ns,
                                                        &R::memory_some_ns,
                                                        &R::memory_full_ns,
                                                        &R::io_some_ns,
                                                        &R::io_full_ns,
                                                        &R::periods,
                                                        &R::throttled_periods,
                                                        &R::throttled_ns,
                                                        &R::memory_bytes,
                                                        &R::memory_limit_bytes,
                                                        &R::memory_limit_hits,
                                                        &R::oom_kills,
                                                        &R::memory_refaults,
                                                        &R::only_pid};
};
template <>
struct LoadFields<CounterValue> {
  using R = CounterValue;
  static constexpr std::array<int64_t R::*, 3> kAll = {&R::counter, &R::raw_ns, &R::value};
};

}  // namespace lockstep
