#include "analysis/why/load_samples.h"

#include <algorithm>
#include <limits>

namespace lockstep::analysis {
namespace {

static_assert(kNoTime < 0, "what is not known is no growth");

// What changes once a second is seen up to a second late.
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr int64_t kForever = std::numeric_limits<int64_t>::max();

// Threads of a process are read one after the other: what lies so close is one sample.
constexpr int64_t kOneSampleNs = 20'000'000;

// In a second in which a cgroup hits its memory limit less often, or reads fewer pages again that it had
// thrown out, that costs little: 1,000 pages are 4 MB.
constexpr int64_t kFewestHits = 100, kFewestRefaults = 1'000;

// Bits of NVML's throttle reasons that no healthy GPU shows: hardware slowdown, software and hardware
// thermal slowdown, power brake. A power cap alone is how large GPUs work.
constexpr int64_t kSickReasons = 8 | 32 | 64 | 128;

bool begins_with(const std::string& text, const char* start) { return text.rfind(start, 0) == 0; }
bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// Facts that count errors: each change is one.
bool counts_errors(const std::string& fact) {
  return fact == "ecc_uncorrected" || fact == "remapped_rows_uncorrected" ||
         (begins_with(fact, "nvlink") && !ends_with(fact, "_active"));
}
// Facts that say that something is wrong for as long as they have such a value.
bool is_wrong(const std::string& fact, int64_t value) {
  if (fact == "throttle_reasons") return (value & kSickReasons) != 0;
  if (fact == "remapped_rows_pending" || fact == "remapped_rows_failed") return value != 0;
  return false;
}

}  // namespace

LoadSamples::LoadSamples(const RunTables& run, const std::vector<LateWindow>& windows)
    : run_(run), callers_(run.processes.size()) {
  for (const OperationRow& row : run.operations) {
    if (row.tid != 0) callers_[row.process].insert(row.tid);
  }
  std::map<std::string, std::vector<Span>> all;
  for (const LateWindow& window : windows)
    all[run.text(run.processes[window.process].host)].push_back(
        {window.from_ns - kSecondNs, window.to_ns + kSecondNs, 0});
  for (auto& [host, spans] : all) {
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.from_ns < b.from_ns; });
    std::vector<Span>& apart = near_[host];
    for (const Span& span : spans) {
      if (apart.empty() || apart.back().to_ns < span.from_ns)
        apart.push_back(span);
      else
        apart.back().to_ns = std::max(apart.back().to_ns, span.to_ns);
    }
  }
}

bool LoadSamples::is_near(const std::string& host, int64_t from_ns, int64_t to_ns) const {
  const auto found = near_.find(host);
  if (found == near_.end()) return false;
  const auto span = std::partition_point(found->second.begin(), found->second.end(),
                                         [&](const Span& one) { return one.to_ns <= from_ns; });
  return span != found->second.end() && span->from_ns < to_ns;
}

void LoadSamples::thread_load(const ThreadLoadRow& row) {
  if (row.process == kNoRow) return;
  ThreadTotal& total = threads[{row.process, row.tid}];
  if (row.processors_allowed != kNoTime) total.processors_allowed = row.processors_allowed;
  if (row.interval_ns == kNoTime || row.wait_ns == kNoTime) return;
  total.wait_ns += row.wait_ns;
  total.run_ns += row.run_ns == kNoTime ? 0 : row.run_ns;
  total.sampled_ns += row.interval_ns;
  const int64_t from_ns = row.at_ns - row.interval_ns;
  if (is_near(std::string(row.host), from_ns, row.at_ns))
    waits[{row.process, row.tid}].push_back({from_ns, row.at_ns, row.wait_ns});
}

void LoadSamples::host_load(const HostLoadRow& row) {
  const std::string host(row.host), cgroup(row.cgroup);
  if (cgroup.empty() && row.runnable != kNoTime) {
    HostTotal& total = hosts[host];
    if (row.processors >= 1) total.processors = static_cast<int64_t>(row.processors);
    ++total.samples;
    total.runnable += row.runnable;
  }
  if (row.interval_ns == kNoTime || !is_near(host, row.at_ns - row.interval_ns, row.at_ns)) return;
  const auto note = [&](std::map<NameKey, std::vector<Span>>* into, int64_t amount_ns) {
    if (amount_ns <= 0) return;
    (*into)[{host, cgroup}].push_back({row.at_ns - row.interval_ns, row.at_ns, amount_ns});
  };
  note(&throttled, row.throttled_ns);
  note(&memory, row.memory_pressure_ns);
  if (row.only_pid > 0 && row.memory_limit_hits >= kFewestHits &&
      row.memory_refaults >= kFewestRefaults)
    memory_limit[{host, cgroup, static_cast<uint32_t>(row.only_pid)}].push_back(
        {row.at_ns - row.interval_ns, row.at_ns, row.memory_refaults});
}

void LoadSamples::nic_counter(const NicCounterRow& row) {
  if (row.change <= 0) return;
  if (row.device == "tcp" && row.counter == "retransmitted_segments")
    sent_again[std::string(row.host)].push_back({row.at_ns - kSecondNs, row.at_ns, row.change});
  counters[{std::string(row.host), std::string(row.device), row.port, std::string(row.counter)}] +=
      row.change;
}

void LoadSamples::gpu_state(const GpuStateRow& row) {
  const std::string fact(row.fact);
  const GpuKey key(std::string(row.host), std::string(row.gpu), fact);
  if (counts_errors(fact)) {
    if (row.change > 0) gpu_troubles[key].push_back({row.at_ns - kSecondNs, row.at_ns, row.change});
    return;
  }
  const auto since = lasting_since_.find(key);
  if (is_wrong(fact, row.value)) {
    if (since == lasting_since_.end()) lasting_since_[key] = row.at_ns - kSecondNs;
  } else if (since != lasting_since_.end()) {
    gpu_troubles[key].push_back({since->second, row.at_ns, row.at_ns - since->second});
    lasting_since_.erase(since);
  }
}

void LoadSamples::finish() {
  for (const auto& [key, since_ns] : lasting_since_)
    gpu_troubles[key].push_back({since_ns, kForever, 1});
  lasting_since_.clear();
  const auto by_time = [](const Span& a, const Span& b) { return a.to_ns < b.to_ns; };
  for (auto& [key, spans] : waits) std::sort(spans.begin(), spans.end(), by_time);
}

const WaitSpans& LoadSamples::caller_waits(uint32_t process, uint32_t tid) const {
  static const WaitSpans none;
  auto found = waits.find({process, tid});
  if (found == waits.end()) found = waits.find({process, run_.processes[process].pid});
  return found == waits.end() ? none : found->second;
}

WaitSpans LoadSamples::waits_of(uint32_t process) const {
  WaitSpans all;
  for (auto one = waits.lower_bound({process, 0});
       one != waits.end() && one->first.first == process; ++one) {
    if (calls(process, one->first.second))
      all.insert(all.end(), one->second.begin(), one->second.end());
  }
  std::sort(all.begin(), all.end(), [](const Span& a, const Span& b) { return a.to_ns < b.to_ns; });
  WaitSpans most;
  for (const Span& span : all) {
    if (most.empty() || most.back().to_ns + kOneSampleNs < span.to_ns)
      most.push_back(span);
    else
      most.back().amount_ns = std::max(most.back().amount_ns, span.amount_ns);
  }
  return most;
}

bool LoadSamples::calls(uint32_t process, uint32_t tid) const {
  return callers_[process].count(tid) != 0 ||
         (callers_[process].empty() && tid == run_.processes[process].pid);
}

ThreadTotal LoadSamples::total_of(uint32_t process, bool callers) const {
  ThreadTotal most;
  const auto first = threads.lower_bound({process, 0});
  for (auto one = first; one != threads.end() && one->first.first == process; ++one) {
    if (calls(process, one->first.second) == callers &&
        (most.sampled_ns == 0 || one->second.wait_ns > most.wait_ns))
      most = one->second;
  }
  return most;
}

int64_t LoadSamples::grown(const std::string& host, const char* device, const char* counter) const {
  const auto found = counters.find({host, device, 0, counter});
  return found == counters.end() ? 0 : found->second;
}

}  // namespace lockstep::analysis
