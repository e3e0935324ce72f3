#include "analysis/report/report_ranks.h"

#include "analysis/report/report_spread.h"
#include "analysis/say/names.h"
#include "analysis/say/words.h"

namespace lockstep::analysis {
namespace {

std::string text_of_rank(const Report& report, const RankRow& rank,
                         const std::vector<RankSpread>& spreads) {
  std::string text = "# " + report.title + ": " + rank_name(rank.rank) + "\n\nOn " + rank.host +
                     ", of communicator " + report.communicator() + " with " +
                     counted(report.ranks().size(), "rank") +
                     ". The whole run is in ../summary.md.\n\n"
                     "| | this rank | median | least | most | |\n|---|--:|--:|--:|--:|---|\n";
  for (size_t i = 0; i < spreads.size(); ++i) {
    const RankMetric& metric = rank_metrics()[i];
    const double value = metric.value(rank);
    const auto& print = metric.print;
    text += std::string("| ") + metric.name + " | " + print(value) + " | " +
            print(spreads[i].middle) + " | " + print(spreads[i].least) + " | " +
            print(spreads[i].most) + " | " +
            (spreads[i].is_far(value) ? "far from the others" : "") + " |\n";
  }
  if (!report.ranks_coverage.empty()) text += "\n" + report.ranks_coverage + "\n";
  text += "\nClearly last in " + counted(rank.late, "operation") + ".";
  if (!rank.late_example.empty())
    text += " Others waited longest for it in `" + rank.late_example + "`.";
  if (!rank.waiting_example.empty())
    text += " It waited longest in `" + rank.waiting_example + "`.";
  return text +
         "\n\n`lockstep explain` shows an operation that is named so. A mark is no verdict: "
         "../summary.md has those. Words are explained at the "
         "end of ../summary.md.\n";
}

}  // namespace

std::vector<std::pair<std::string, std::string>> rank_summaries(const Report& report) {
  std::vector<std::pair<std::string, std::string>> files;
  if (report.ranks().size() < 2) return files;
  const std::vector<RankSpread> spreads = spreads_over(report.ranks());
  for (const RankRow& rank : report.ranks())
    files.emplace_back("rank-" + std::to_string(rank.rank) + ".md",
                       text_of_rank(report, rank, spreads));
  return files;
}

}  // namespace lockstep::analysis
