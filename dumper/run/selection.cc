#include "dumper/run/selection.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <map>

#include "base/parallel.h"
#include "base/text.h"
#include "dumper/run/chunk_search.h"
#include "dumper/run/earlier_comms.h"

namespace lockstep::dumper {
namespace {

std::string seconds(int64_t ns) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(ns) / 1e9);
  return text;
}

// One host's clocks, by the first and the last record of its processes: CLOCK_REALTIME in between
// drifts away from the raw clock evenly.
struct HostClock {
  int64_t first_raw_ns = std::numeric_limits<int64_t>::max(), last_raw_ns = 0;
  int64_t first_offset_ns = 0, last_offset_ns = 0;

  void add(const ProcessSpan& span) {
    const auto first = static_cast<int64_t>(span.first_raw_ns);
    const auto last = static_cast<int64_t>(span.last_raw_ns);
    if (first < first_raw_ns) first_raw_ns = first, first_offset_ns = span.first_real_offset_ns;
    if (last >= last_raw_ns) last_raw_ns = last, last_offset_ns = span.last_real_offset_ns;
  }
  int64_t first_real_ns() const { return first_raw_ns + first_offset_ns; }
  int64_t last_real_ns() const { return last_raw_ns + last_offset_ns; }
  int64_t raw_of(int64_t real_ns) const {
    const int64_t length = last_real_ns() - first_real_ns();
    if (length <= 0) return real_ns - last_offset_ns;
    const double share = std::clamp(
        static_cast<double>(real_ns - first_real_ns()) / static_cast<double>(length), 0.0, 1.0);
    const auto drift = static_cast<double>(last_offset_ns - first_offset_ns);
    return real_ns - first_offset_ns - static_cast<int64_t>(share * drift);
  }
};

// The hosts of a run; the run begins with the first record of all and ends with the last.
class RunClock {
 public:
  explicit RunClock(const std::vector<ProcessEntry>& processes) {
    std::vector<std::optional<ProcessSpan>> spans(processes.size());
    in_parallel(spans.size(), 0, [&](size_t i) { spans[i] = span_of(processes[i]); });
    for (size_t i = 0; i < spans.size(); ++i) {
      if (spans[i]) hosts_[host_of(processes[i])].add(*spans[i]);
    }
    for (const auto& [host, clock] : hosts_) {
      begin_real_ns_ = std::min(begin_real_ns_, clock.first_real_ns());
      end_real_ns_ = std::max(end_real_ns_, clock.last_real_ns());
    }
  }
  bool is_empty() const { return hosts_.empty(); }
  int64_t begin_real_ns() const { return begin_real_ns_; }
  // Of one host exactly, by the clock that its records have.
  int64_t length_ns() const {
    if (hosts_.size() != 1) return end_real_ns_ - begin_real_ns_;
    const HostClock& clock = hosts_.begin()->second;
    return clock.last_raw_ns - clock.first_raw_ns;
  }
  // What this host's raw clock says so long after the run's first record.
  int64_t raw_at(const ProcessEntry& process, int64_t since_start_ns) const {
    const auto found = hosts_.find(host_of(process));
    if (found == hosts_.end()) return 0;
    const HostClock& clock = found->second;
    return hosts_.size() == 1 ? clock.first_raw_ns + since_start_ns
                              : clock.raw_of(begin_real_ns_ + since_start_ns);
  }
  int64_t since_start(const Instant& instant) const {
    if (instant.since == Instant::Since::RunStart) return instant.ns;
    if (hosts_.size() != 1) return instant.ns - begin_real_ns_;
    const HostClock& clock = hosts_.begin()->second;
    return clock.raw_of(instant.ns) - clock.first_raw_ns;
  }

 private:
  static const std::string& host_of(const ProcessEntry& process) {
    return process.facts.boot_id.empty() ? process.host : process.facts.boot_id;
  }
  std::map<std::string, HostClock> hosts_;
  int64_t begin_real_ns_ = std::numeric_limits<int64_t>::max();
  int64_t end_real_ns_ = std::numeric_limits<int64_t>::min();
};

Status keep_ranks(const Selection& selection, RunDirectory* run) {
  if (selection.ranks.empty()) return Status();
  std::vector<int64_t> ranks(run->processes.size());
  in_parallel(ranks.size(), 0, [&](size_t i) { ranks[i] = first_rank_of(run->processes[i]); });
  std::vector<ProcessEntry> kept;
  for (size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] < 0 || selection.wants_rank(ranks[i]))
      kept.push_back(std::move(run->processes[i]));
  }
  const int64_t highest = *std::max_element(ranks.begin(), ranks.end());
  run->processes = std::move(kept);
  if (!run->processes.empty()) return Status();
  return Status::error(run->path + ": no process of these ranks; those recorded go up to rank " +
                       std::to_string(highest));
}

Result<std::vector<RawSpan>> chosen_spans(const Selection& selection, RunDirectory* run) {
  std::vector<ProcessEntry> kept;
  std::vector<RawSpan> spans;
  for (ProcessEntry& process : run->processes) {
    const auto span = selection.chosen->find(process.uid);
    if (span == selection.chosen->end()) continue;
    kept.push_back(std::move(process));
    spans.push_back(span->second);
  }
  run->processes = std::move(kept);
  if (spans.empty()) return Status::error(run->path + ": none of its processes was asked for");
  return spans;
}

uint64_t instant(int64_t raw_ns) { return static_cast<uint64_t>(std::max<int64_t>(raw_ns, 1)); }

}  // namespace

bool Selection::wants_rank(int64_t rank) const { return ranks.empty() || is_within(ranks, rank); }

bool Selection::wants_comm(uint64_t id, const std::string& name) const {
  if (comm.empty() || comm == name) return true;
  return starts_with(comm, "0x") && parse_number<uint64_t>(comm.substr(2), 16) == id;
}

Result<std::vector<RawSpan>> select(const Selection& selection, RunDirectory* run) {
  if (selection.pid) {
    auto& all = run->processes;
    all.erase(
        std::remove_if(all.begin(), all.end(),
                       [&](const ProcessEntry& process) { return process.pid != *selection.pid; }),
        all.end());
    if (all.empty())
      return Status::error(run->path + ": it has no process " + std::to_string(*selection.pid));
  }
  const RunClock clock(selection.has_span() ? run->processes : std::vector<ProcessEntry>());
  const Status ranks = keep_ranks(selection, run);
  if (!ranks.ok()) return ranks;
  if (selection.chosen) return chosen_spans(selection, run);
  std::vector<RawSpan> spans(run->processes.size());
  if (!selection.has_span()) return spans;
  if (clock.is_empty())
    return Status::error(run->path + ": no record in it, so there is no time to choose from");
  const int64_t length_ns = clock.length_ns();
  int64_t from_ns = selection.from ? clock.since_start(*selection.from) : 0;
  const int64_t to_ns = selection.to ? clock.since_start(*selection.to) : length_ns;
  if (selection.last_ns) from_ns = std::max<int64_t>(0, length_ns - *selection.last_ns);
  if (from_ns > length_ns || to_ns < 0 || from_ns > to_ns)
    return Status::error(run->path + ": nothing was recorded from " + seconds(from_ns) + " to " +
                         seconds(to_ns) + " after its first record; it is " + seconds(length_ns) +
                         " long");
  for (size_t i = 0; i < spans.size(); ++i) {
    const ProcessEntry& process = run->processes[i];
    if (from_ns > 0) spans[i].from_ns = instant(clock.raw_at(process, from_ns));
    if (selection.to && to_ns < length_ns) spans[i].to_ns = instant(clock.raw_at(process, to_ns));
  }
  return spans;
}

}  // namespace lockstep::dumper
