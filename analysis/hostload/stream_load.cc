#include "analysis/hostload/stream_load.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/relate/run_clock.h"
#include "base/text.h"
#include "dumper/run/run_files.h"
#include "hostload/record/load_file.h"

namespace lockstep::analysis {
namespace {

int64_t or_none(int64_t value) { return value < 0 ? kNoTime : value; }
double thousandths(int64_t value) { return value < 0 ? -1 : static_cast<double>(value) / 1000; }

// What a total grew by; it shrinks where its subject began anew.
int64_t grown(int64_t before, int64_t now) {
  return before < 0 || now < before ? kNoTime : now - before;
}

using Key = std::pair<uint64_t, uint32_t>;  // process uid, tid
using CounterKey = std::tuple<std::string, uint32_t, std::string>;

// One file: what of each subject was last seen, and how its times become the run's.
class LoadStream {
 public:
  LoadStream(const RunTables& run, LoadSink* sink) : run_(run), sink_(sink) {
    for (uint32_t row = 0; row < run.processes.size(); ++row)
      processes_.emplace(run.processes[row].uid, row);
  }

  void take(const LoadChunk& chunk) {
    find_axis(chunk.host);
    take_threads(chunk);
    for (const HostLoad& load : chunk.host_loads)
      take_host(chunk, load, chunk.cgroups[static_cast<size_t>(load.cgroup)]);
    for (const CounterValue& value : chunk.counter_values)
      take_counter(chunk, value, chunk.counters[static_cast<size_t>(value.counter)]);
    for (const CounterValue& value : chunk.gpu_values)
      take_gpu(chunk, value, chunk.gpu_facts[static_cast<size_t>(value.counter)]);
  }

 private:
  void find_axis(const std::string& host) {
    if (axis_ || host.empty()) return;
    for (uint32_t row = 0; row < run_.processes.size() && !axis_; ++row) {
      if (run_.text(run_.processes[row].host) == host) axis_.emplace(run_, row);
    }
  }
  int64_t at_ns(int64_t raw_ns) { return axis_ ? axis_->to_run_ns(raw_ns) : raw_ns; }

  void take_threads(const LoadChunk& chunk) {
    std::map<std::pair<int64_t, int64_t>, const ThreadEvents*> events;
    for (const ThreadEvents& one : chunk.thread_events)
      events.emplace(std::make_pair(one.thread, one.raw_ns), &one);
    for (const ThreadTimes& times : chunk.thread_times) {
      const auto found = events.find({times.thread, times.raw_ns});
      take_thread(chunk, times, found == events.end() ? nullptr : found->second);
    }
  }

  void take_thread(const LoadChunk& chunk, const ThreadTimes& now, const ThreadEvents* events) {
    const LoadThread& thread = chunk.threads[static_cast<size_t>(now.thread)];
    const auto process = processes_.find(thread.process_uid);
    ThreadLoadRow row;
    row.process = process == processes_.end() ? kNoRow : process->second;
    row.host = chunk.host;
    row.thread = thread.name;
    row.pid = thread.pid;
    row.tid = thread.tid;
    row.at_ns = at_ns(now.raw_ns);
    const Key key(thread.process_uid, thread.tid);
    ThreadTimes& before = times_[key];
    if (before.run_ns >= 0) row.interval_ns = grown(before.raw_ns, now.raw_ns);
    row.run_ns = grown(before.run_ns, now.run_ns);
    row.wait_ns = grown(before.wait_ns, now.wait_ns);
    row.timeslices = grown(before.timeslices, now.timeslices);
    row.total_run_ns = or_none(now.run_ns);
    row.total_wait_ns = or_none(now.wait_ns);
    before = now;
    if (events != nullptr) add_events(*events, &events_[key], &row);
    sink_->thread_load(row);
  }

  static void add_events(const ThreadEvents& now, ThreadEvents* before, ThreadLoadRow* row) {
    row->voluntary_switches = grown(before->voluntary_switches, now.voluntary_switches);
    row->involuntary_switches = grown(before->involuntary_switches, now.involuntary_switches);
    row->minor_faults = grown(before->minor_faults, now.minor_faults);
    row->major_faults = grown(before->major_faults, now.major_faults);
    row->processor = or_none(now.processor);
    row->processors_allowed = or_none(now.processors_allowed);
    *before = now;
  }

  void take_host(const LoadChunk& chunk, const HostLoad& now, const std::string& cgroup) {
    HostLoadRow row;
    row.host = chunk.host;
    row.cgroup = cgroup;
    row.at_ns = at_ns(now.raw_ns);
    const auto [found, first] = hosts_.try_emplace(cgroup);
    HostLoad& before = found->second;
    if (!first) row.interval_ns = grown(before.raw_ns, now.raw_ns);
    row.processors = thousandths(now.millis_of_processors);
    row.runnable = or_none(now.runnable);
    row.load1 = thousandths(now.load1_millis);
    row.cpu_pressure_ns = grown(before.cpu_some_ns, now.cpu_some_ns);
    row.memory_pressure_ns = grown(before.memory_some_ns, now.memory_some_ns);
    row.memory_stall_ns = grown(before.memory_full_ns, now.memory_full_ns);
    row.io_pressure_ns = grown(before.io_some_ns, now.io_some_ns);
    row.io_stall_ns = grown(before.io_full_ns, now.io_full_ns);
    row.quota_periods = grown(before.periods, now.periods);
    row.throttled_periods = grown(before.throttled_periods, now.throttled_periods);
    row.throttled_ns = grown(before.throttled_ns, now.throttled_ns);
    row.memory_limit_hits = grown(before.memory_limit_hits, now.memory_limit_hits);
    row.oom_kills = grown(before.oom_kills, now.oom_kills);
    row.only_pid = or_none(now.only_pid);
    row.memory_refaults = grown(before.memory_refaults, now.memory_refaults);
    row.memory_bytes = or_none(now.memory_bytes);
    row.memory_limit_bytes = or_none(now.memory_limit_bytes);
    before = now;
    sink_->host_load(row);
  }

  void take_counter(const LoadChunk& chunk, const CounterValue& now, const LoadCounter& counter) {
    NicCounterRow row;
    row.host = chunk.host;
    row.device = counter.device;
    row.port = counter.port;
    row.counter = counter.name;
    row.at_ns = at_ns(now.raw_ns);
    row.value = now.value;
    if (const auto before = replace(counter, now.value, &counters_))
      row.change = grown(*before, now.value);
    sink_->nic_counter(row);
  }

  void take_gpu(const LoadChunk& chunk, const CounterValue& now, const LoadCounter& fact) {
    GpuStateRow row;
    row.host = chunk.host;
    row.gpu = fact.device;
    row.gpu_index = fact.port;
    row.fact = fact.name;
    row.at_ns = at_ns(now.raw_ns);
    row.value = now.value;
    const auto before = replace(fact, now.value, &gpu_facts_);
    // Clocks and temperatures fall, too. A file may claim less than nothing.
    if (before && now.value >= 0 && *before >= 0) row.change = now.value - *before;
    sink_->gpu_state(row);
  }

  // The value before, if there was one.
  static std::optional<int64_t> replace(const LoadCounter& counter, int64_t now,
                                        std::map<CounterKey, int64_t>* last) {
    const auto [found, first] =
        last->try_emplace({counter.device, counter.port, counter.name}, now);
    if (first) return std::nullopt;
    return std::exchange(found->second, now);
  }

  const RunTables& run_;
  LoadSink* sink_;
  std::map<uint64_t, uint32_t> processes_;  // rows by uid
  std::optional<HostAxis> axis_;
  std::map<Key, ThreadTimes> times_;
  std::map<Key, ThreadEvents> events_;
  std::map<std::string, HostLoad> hosts_;
  std::map<CounterKey, int64_t> counters_, gpu_facts_;
};

}  // namespace

std::vector<std::string> load_files(const std::string& directory) {
  std::vector<std::string> found;
  const auto files = dumper::run_files(directory);
  if (!files.ok()) return found;
  for (const std::string& file : files.value()) {
    if (has_ending(file, kLoadFileSuffix)) found.push_back(file);
  }
  std::sort(found.begin(), found.end(),
            [](const std::string& a, const std::string& b) { return base_name(a) < base_name(b); });
  return found;
}

std::vector<std::string> stream_load(const std::string& directory, const RunTables& run,
                                     LoadSink* sink) {
  std::vector<std::string> damage;
  for (const std::string& path : load_files(directory)) {
    auto reader = hostload::LoadReader::open(path);
    if (!reader.ok()) {
      damage.push_back(reader.message());
      continue;
    }
    LoadStream stream(run, sink);
    LoadChunk chunk;
    while (reader.value().next(&chunk)) stream.take(chunk);
    for (const dumper::Damage& one : reader.value().damage()) {
      if (!one.torn_tail) damage.push_back(dumper::to_sentence(one));
    }
  }
  return damage;
}

}  // namespace lockstep::analysis
