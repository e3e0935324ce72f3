#include "analysis/report/report_phases.h"

#include <algorithm>
#include <map>

#include "analysis/say/names.h"
#include "analysis/say/table_coverage.h"
#include "analysis/say/words.h"
#include "analysis/tables/labels.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kCommLines = 10;

struct Phases {
  uint64_t stamped = 0;
  int64_t initial_ns = 0, compute_ns = 0, final_ns = 0;

  int64_t all_ns() const { return initial_ns + compute_ns + final_ns; }
  void add(const ChannelRow& row) {
    stamped += row.phases;
    initial_ns += row.initial_sync_ns;
    compute_ns += row.compute_ns;
    final_ns += row.final_sync_ns;
  }
};

struct CommPhases {
  uint32_t communicator = kNoRow;
  Phases sum;
  std::map<int32_t, Phases> ranks;

  // Who begins last waits least for the others to begin.
  const std::pair<const int32_t, Phases>& least() const {
    return *std::min_element(ranks.begin(), ranks.end(), by_initial);
  }
  const std::pair<const int32_t, Phases>& most() const {
    return *std::max_element(ranks.begin(), ranks.end(), by_initial);
  }

 private:
  static bool by_initial(const std::pair<const int32_t, Phases>& a,
                         const std::pair<const int32_t, Phases>& b) {
    return a.second.initial_ns < b.second.initial_ns;
  }
};

// Longest first.
std::vector<CommPhases> phases_of(const RunTables& run) {
  std::map<uint32_t, CommPhases> sums;
  for (const ChannelRow& row : run.channels) {
    if (row.phases == 0) continue;
    CommPhases& one = sums[row.communicator];
    one.communicator = row.communicator;
    one.sum.add(row);
    one.ranks[row.rank].add(row);
  }
  std::vector<CommPhases> out;
  for (auto& [communicator, one] : sums) out.push_back(std::move(one));
  std::stable_sort(out.begin(), out.end(), [](const CommPhases& a, const CommPhases& b) {
    return a.sum.all_ns() > b.sum.all_ns();
  });
  return out;
}

std::string share(int64_t ns, const Phases& of) {
  return of.all_ns() <= 0 ? "-"
                          : percent(static_cast<double>(ns) / static_cast<double>(of.all_ns()));
}

std::string with_time(const std::pair<const int32_t, Phases>& rank) {
  return rank_name(rank.first) + ", " + duration(rank.second.initial_ns);
}

SaidTable table_of(const RunTables& run, const std::vector<CommPhases>& all) {
  SaidTable table;
  table.title = "Symmetric kernels";
  table.words =
      "Where kernels on symmetric memory spend their time, by the GPU's clock, summed over ranks "
      "and "
      "channels: waiting until all ranks have begun, computing, waiting until all are through. The "
      "rank that waits least for the others to begin is the one that they wait for.";
  table.columns = {"communicator",          "phases",
                   "until all begin",       "compute",
                   "until all are through", "waits least to begin",
                   "waits most to begin"};
  for (const CommPhases& one : all) {
    if (table.rows.size() == kCommLines) break;
    table.rows.push_back(
        {communicator_label(run, one.communicator), std::to_string(one.sum.stamped),
         duration(one.sum.initial_ns) + " (" + share(one.sum.initial_ns, one.sum) + ")",
         duration(one.sum.compute_ns) + " (" + share(one.sum.compute_ns, one.sum) + ")",
         duration(one.sum.final_ns) + " (" + share(one.sum.final_ns, one.sum) + ")",
         with_time(one.least()), with_time(one.most())});
  }
  table.rests = kOnPhases;
  return table;
}

}  // namespace

void add_phases_of(const RunTables& run, Report* report) {
  const std::vector<CommPhases> all = phases_of(run);
  if (all.empty()) return;
  Phases sum;
  for (const ChannelRow& row : run.channels) sum.add(row);
  const CommPhases& longest = all.front();
  std::string text = "Symmetric kernels: " + share(sum.initial_ns, sum) +
                     " of their time until all ranks have begun, " + share(sum.final_ns, sum) +
                     " until all are through.";
  if (longest.ranks.size() > 1)
    text += " On " + communicator_label(run, longest.communicator) + " " +
            rank_name(longest.least().first) + " waits least for the others to begin (" +
            duration(longest.least().second.initial_ns) + "), " + rank_name(longest.most().first) +
            " most (" + duration(longest.most().second.initial_ns) + ").";
  report->answers.push_back(std::move(text));
  report->accounts.push_back(table_of(run, all));
  report->metrics.emplace_back("kernel_phases", std::to_string(sum.stamped));
  report->metrics.emplace_back("initial_sync_ns", std::to_string(sum.initial_ns));
  report->metrics.emplace_back("compute_ns", std::to_string(sum.compute_ns));
  report->metrics.emplace_back("final_sync_ns", std::to_string(sum.final_ns));
}

}  // namespace lockstep::analysis
