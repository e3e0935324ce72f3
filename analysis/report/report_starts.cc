#include "analysis/report/report_starts.h"

#include <algorithm>
#include <set>

#include "analysis/pyramid/run_time.h"
#include "analysis/report/report_facts.h"
#include "analysis/say/names.h"
#include "analysis/say/table_coverage.h"
#include "analysis/say/words.h"
#include "analysis/tables/labels.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kStartLines = 20;

bool was_asked_for(const ProcessRow& process, int64_t at_ns) {
  const int64_t raw_ns = at_ns - process.raw_offset_ns;
  return raw_ns >= 0 && static_cast<uint64_t>(raw_ns) >= process.asked_from_raw_ns;
}

// When the member's init called the plugin; kNoTime where that is not in what was read.
int64_t init_of(const RunTables& run, const MemberRow& member) {
  if (member.process >= run.processes.size() || member.init_ns == kNoTime) return kNoTime;
  return was_asked_for(run.processes[member.process], member.init_ns) ? member.init_ns : kNoTime;
}

struct Start {
  int64_t took_ns = 0;
  uint32_t process = 0;
};
void sort_starts(std::vector<Start>* starts) {
  std::stable_sort(starts->begin(), starts->end(),
                   [](const Start& a, const Start& b) { return a.took_ns < b.took_ns; });
}

int64_t median_ns(const std::vector<Start>& starts) {
  return starts[(starts.size() - 1) / 2].took_ns;
}

// "1 ms (median), 2 ms at most (rank 3)".
std::string median_and_longest(const RunTables& run, const std::vector<Start>& starts) {
  const Start& last = starts.back();
  return duration(median_ns(starts)) + " (median), " + duration(last.took_ns) + " at most (" +
         process_label(run, run.processes[last.process]) + ")";
}

// Of processes whose first communicator and first operation are both known; the longest last.
std::vector<Start> starts_of(const RunTables& run) {
  std::vector<int64_t> init_ns(run.processes.size(), kNoTime), call_ns(init_ns);
  const auto earlier = [](int64_t* at, int64_t ns) {
    if (ns != kNoTime && (*at == kNoTime || ns < *at)) *at = ns;
  };
  for (const MemberRow& member : run.members) {
    if (member.process < init_ns.size()) earlier(&init_ns[member.process], member.init_ns);
  }
  for (const OperationRow& row : run.operations) earlier(&call_ns[row.process], row.called_ns());
  std::vector<Start> starts;
  for (uint32_t p = 0; p < init_ns.size(); ++p) {
    const bool known = init_ns[p] != kNoTime && was_asked_for(run.processes[p], init_ns[p]);
    if (known && call_ns[p] >= init_ns[p]) starts.push_back({call_ns[p] - init_ns[p], p});
  }
  sort_starts(&starts);
  return starts;
}

// What of that the plugin itself took; of processes that say so, the longest last.
std::vector<Start> plugin_inits_of(const RunTables& run) {
  std::vector<Start> inits;
  for (const ProcessRow& process : run.processes) {
    if (process.plugin_init_ns != 0)
      inits.push_back(
          {process.plugin_init_ns, static_cast<uint32_t>(&process - run.processes.data())});
  }
  sort_starts(&inits);
  return inits;
}

// By communicator and rank: the first operation called there.
class FirstOperations {
 public:
  explicit FirstOperations(const RunTables& run) : first_(run.communicators.size()) {
    for (uint32_t c = 0; c < first_.size(); ++c)
      first_[c].resize(static_cast<size_t>(std::max(0, run.communicators[c].nranks)));
    for (const OperationRow& row : run.operations) {
      if (row.communicator >= first_.size() || row.rank < 0 || row.called_ns() == kNoTime) continue;
      auto& ranks = first_[row.communicator];
      if (static_cast<size_t>(row.rank) >= ranks.size()) continue;
      const OperationRow*& first = ranks[static_cast<size_t>(row.rank)];
      if (first == nullptr || row.called_ns() < first->called_ns()) first = &row;
    }
  }
  // May be null.
  const OperationRow* of(const MemberRow& member) const {
    const auto& ranks = first_[member.communicator];
    const auto rank = static_cast<size_t>(member.rank);
    return member.rank < 0 || rank >= ranks.size() ? nullptr : ranks[rank];
  }

 private:
  std::vector<std::vector<const OperationRow*>> first_;
};

int64_t median_or_unknown(std::vector<int64_t>* times_ns) {
  return times_ns->empty() ? kNoTime : lower_median(times_ns);
}

class StartFinder {
 public:
  explicit StartFinder(const RunTables& run) : run_(run), time_(run), operations_(run) {}

  CommStart find(uint32_t communicator) {
    const CommunicatorRow& row = run_.communicators[communicator];
    start_ = CommStart();
    start_.communicator = communicator_label(run_, communicator);
    start_.nranks = row.nranks;
    until_call_.clear();
    took_.clear();
    std::set<uint64_t> clocks;
    int64_t last_ns = kNoTime;
    for (uint32_t i = row.first_member; i < row.first_member + row.members; ++i) {
      const MemberRow& member = run_.members[i];
      const int64_t init_ns = init_of(run_, member);
      if (init_ns == kNoTime) continue;
      ++start_.recorded_ranks;
      clocks.insert(clock_key(run_.processes[member.process]));
      const int64_t at_ns = time_.at(member.process, init_ns);
      if (start_.init_ns == kNoTime || at_ns < start_.init_ns) start_.init_ns = at_ns;
      if (at_ns > last_ns) start_.last_rank = member.rank;
      last_ns = std::max(last_ns, at_ns);
      add_first_operation(member, init_ns);
    }
    if (clocks.size() == 1) start_.apart_ns = last_ns - start_.init_ns;
    start_.until_call_median_ns = median_or_unknown(&until_call_);
    start_.first_took_median_ns = median_or_unknown(&took_);
    return start_;
  }

 private:
  void add_first_operation(const MemberRow& member, int64_t init_ns) {
    const OperationRow* first = operations_.of(member);
    if (first == nullptr || first->called_ns() < init_ns) return;
    const int64_t until_ns = first->called_ns() - init_ns, took_ns = elapsed_of(*first);
    if (until_ns > start_.until_call_longest_ns) {
      start_.until_call_longest_ns = until_ns;
      start_.longest_rank = member.rank;
    }
    until_call_.push_back(until_ns);
    if (took_ns == kNoTime) return;
    start_.first_took_longest_ns = std::max(start_.first_took_longest_ns, took_ns);
    took_.push_back(took_ns);
  }

  const RunTables& run_;
  const RunTime time_;
  const FirstOperations operations_;
  CommStart start_;
  std::vector<int64_t> until_call_, took_;  // of its ranks
};

}  // namespace

std::string start_sentence(const RunTables& run) {
  const std::vector<Start> starts = starts_of(run), inits = plugin_inits_of(run);
  std::string text = starts.empty() ? "Start: not recorded"
                                    : "Start: from the first communicator to the first operation " +
                                          median_and_longest(run, starts);
  if (!inits.empty())
    text += "; of the first communicator's init the plugin took " + median_and_longest(run, inits);
  return text + ".";
}

std::vector<std::pair<std::string, std::string>> start_metrics(const RunTables& run) {
  std::vector<std::pair<std::string, std::string>> metrics;
  const auto add = [&metrics](const std::string& name, const std::vector<Start>& starts) {
    if (starts.empty()) return;
    metrics.emplace_back(name + "_median_ns", std::to_string(median_ns(starts)));
    metrics.emplace_back(name + "_longest_ns", std::to_string(starts.back().took_ns));
  };
  add("start", starts_of(run));
  add("plugin_init", plugin_inits_of(run));
  return metrics;
}

std::vector<CommStart> comm_starts(const RunTables& run) {
  std::vector<CommStart> starts;
  StartFinder finder(run);
  for (uint32_t c = 0; c < run.communicators.size(); ++c) {
    CommStart start = finder.find(c);
    if (start.init_ns != kNoTime) starts.push_back(std::move(start));
  }
  std::stable_sort(starts.begin(), starts.end(),
                   [](const CommStart& a, const CommStart& b) { return a.init_ns < b.init_ns; });
  return starts;
}

SaidTable starts_table(const std::vector<CommStart>& starts) {
  SaidTable table;
  table.title = "Start of communicators";
  table.words =
      "NCCL calls the plugin once in each communicator's init, near its end: that is its instant "
      "here, since the run's first record. When an init began and how long it took, NCCL does not "
      "tell. The first operation is timed from its call to its end on each rank; NCCL usually "
      "makes "
      "connections in it.";
  if (starts.size() > kStartLines)
    table.words +=
        " The " + counted(starts.size() - kStartLines, "later communicator") + " are in --json.";
  table.columns = {"communicator",
                   "ranks",
                   "init",
                   "last rank later by",
                   "until first operation",
                   "longest",
                   "first operation took",
                   "longest"};
  const auto known = [](int64_t ns) { return ns == kNoTime ? "-" : duration(ns); };
  for (const CommStart& one : starts) {
    if (table.rows.size() == kStartLines) break;
    const bool called = one.until_call_longest_ns != kNoTime;
    table.rows.push_back(
        {one.communicator, std::to_string(one.recorded_ranks) + " of " + std::to_string(one.nranks),
         duration(one.init_ns),
         one.apart_ns == kNoTime ? "not on one clock"
                                 : duration(one.apart_ns) + " (" + rank_name(one.last_rank) + ")",
         known(one.until_call_median_ns),
         known(one.until_call_longest_ns) +
             (called ? " (" + rank_name(one.longest_rank) + ")" : ""),
         known(one.first_took_median_ns), known(one.first_took_longest_ns)});
  }
  table.rests = kOnCalls;
  return table;
}

}  // namespace lockstep::analysis
