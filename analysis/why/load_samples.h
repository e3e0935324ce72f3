// What the hosts' samplers saw while somebody was late: of all rows of stream_load() those near the
// late windows, and totals over the run. A day of a host has millions of rows, of which few are near. Filled by
// one thread, then read by any number.
#pragma once

#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "analysis/hostload/load_rows.h"
#include "analysis/tables/run_tables.h"
#include "analysis/why/late_windows.h"

namespace lockstep::analysis {

// A thread from one sample to the next, at most: it waited `amount_ns` for a processor.
using WaitSpans = std::vector<Span>;

struct ThreadTotal {
  int64_t wait_ns = 0, run_ns = 0, sampled_ns = 0;
  int64_t processors_allowed = 0;  // the last that was seen, 0 = not known
};
struct HostTotal {
  int64_t processors = 0;             // online, 0 = not known
  int64_t samples = 0, runnable = 0;  // threads that could run, summed over the samples

  // More threads wanted to run than there were processors, on average.
  bool is_crowded() const { return processors > 0 && runnable > processors * samples; }
};

class LoadSamples : public LoadSink {
 public:
  // windows: what to keep rows for. `run` must outlive this.
  LoadSamples(const RunTables& run, const std::vector<LateWindow>& windows);

  void thread_load(const ThreadLoadRow& row) override;
  void host_load(const HostLoadRow& row) override;
  void nic_counter(const NicCounterRow& row) override;
  void gpu_state(const GpuStateRow& row) override;
  // Puts what was streamed into the order of time.
  void finish();

  using ThreadKey = std::pair<uint32_t, uint32_t>;      // process, tid
  using NameKey = std::pair<std::string, std::string>;  // host, cgroup
  using PortKey =
      std::tuple<std::string, std::string, uint32_t, std::string>;   // host, device, port, counter
  using GpuKey = std::tuple<std::string, std::string, std::string>;  // host, gpu, fact

  // Of this tid; where it was not sampled of the process's main thread. Empty: neither was.
  const WaitSpans& caller_waits(uint32_t process, uint32_t tid) const;
  // The most that a thread of the process which calls NCCL waited, sample by sample. Its proxy threads spin, and wait on a
  // busy host also where that makes nothing late.
  WaitSpans waits_of(uint32_t process) const;
  // Over the run: of the thread that waited most, among those that call NCCL or those that do not.
  ThreadTotal total_of(uint32_t process, bool callers) const;

  // How much a counter of a device without ports grew.
  int64_t grown(const std::string& host, const char* device, const char* counter) const;

  std::map<ThreadKey, WaitSpans> waits;      // near the windows
  std::map<ThreadKey, ThreadTotal> threads;  // over the run
  std::map<std::string, HostTotal> hosts;
  std::map<NameKey, std::vector<Span>> throttled, memory;  // near the windows
  // While a cgroup that holds one process of the run was at its memory limit and read again what it had
  // thrown out; near the windows. By host, cgroup and process id.
  std::map<std::tuple<std::string, std::string, uint32_t>, std::vector<Span>> memory_limit;
  std::map<PortKey, int64_t> counters;                  // how much each grew over the run
  std::map<std::string, std::vector<Span>> sent_again;  // by host: TCP segments, second by second
  std::map<GpuKey, std::vector<Span>> gpu_troubles;     // while a GPU was held back, or erred

 private:
  bool calls(uint32_t process, uint32_t tid) const;
  bool is_near(const std::string& host, int64_t from_ns, int64_t to_ns) const;

  const RunTables& run_;
  std::map<std::string, std::vector<Span>> near_;  // by host; sorted, apart
  std::vector<std::set<uint32_t>> callers_;        // by process: tids
  std::map<GpuKey, int64_t> lasting_since_;        // of troubles that last
};

}  // namespace lockstep::analysis
