#include "analysis/report/report_ranks.h"

#include <algorithm>
#include <cmath>

#include "analysis/say/names.h"
#include "analysis/say/words.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

constexpr double kFarDeviations = 5, kDeviationPerMad = 1.4826, kFarShare = 0.1;
constexpr double kNegligible = 0.01;  // of the median time in operations

std::string plain_number(double value) { return std::to_string(std::llround(value)); }
std::string as_bytes(double value) { return bytes(static_cast<uint64_t>(std::llround(value))); }
std::string as_duration(double value) { return duration(std::llround(value)); }

struct RankMetric {
  const char* name;
  double (*value)(const RankRow&);
  std::string (*print)(double);
  bool is_time;
};
constexpr RankMetric kRankMetrics[] = {
    {"operations", [](const RankRow& r) { return static_cast<double>(r.operations); }, plain_number,
     false},
    {"bytes", [](const RankRow& r) { return static_cast<double>(r.bytes); }, as_bytes, false},
    {"time", [](const RankRow& r) { return static_cast<double>(r.elapsed_ns); }, as_duration, true},
    {"waited", [](const RankRow& r) { return static_cast<double>(r.wait_ns); }, as_duration, true},
    {"made others wait", [](const RankRow& r) { return static_cast<double>(r.caused_wait_ns); },
     as_duration, true}};

// Of one metric over all ranks.
struct RankSpread {
  double least = 0, middle = 0, most = 0, deviation = 0, negligible = 0;

  bool is_far(double value) const {
    const double away = std::abs(value - middle);
    return away > kFarDeviations * deviation && away > kFarShare * std::abs(middle) &&
           away > negligible;
  }
};

RankSpread spread_over(const std::vector<RankRow>& ranks, const RankMetric& metric) {
  std::vector<double> values, away;
  for (const RankRow& rank : ranks) values.push_back(metric.value(rank));
  RankSpread spread;
  spread.least = *std::min_element(values.begin(), values.end());
  spread.most = *std::max_element(values.begin(), values.end());
  spread.middle = median(&values);
  for (const double value : values) away.push_back(std::abs(value - spread.middle));
  spread.deviation = kDeviationPerMad * median(&away);
  return spread;
}

std::string text_of_rank(const Report& report, const RankRow& rank,
                         const std::vector<RankSpread>& spreads) {
  std::string text = "# " + report.title + ": " + rank_name(rank.rank) + "\n\nOn " + rank.host +
                     ", of communicator " + report.communicator + " with " +
                     counted(report.ranks.size(), "rank") +
                     ". The whole run is in ../summary.md.\n\n"
                     "| | this rank | median | least | most | |\n|---|--:|--:|--:|--:|---|\n";
  for (size_t i = 0; i < spreads.size(); ++i) {
    const RankMetric& metric = kRankMetrics[i];
    const double value = metric.value(rank);
    const auto& print = metric.print;
    text += std::string("| ") + metric.name + " | " + print(value) + " | " +
            print(spreads[i].middle) + " | " + print(spreads[i].least) + " | " +
            print(spreads[i].most) + " | " +
            (spreads[i].is_far(value) ? "far from the others" : "") + " |\n";
  }
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
  if (report.ranks.size() < 2) return files;
  std::vector<double> times;
  for (const RankRow& rank : report.ranks) times.push_back(static_cast<double>(rank.elapsed_ns));
  const double negligible_ns = kNegligible * median(&times);
  std::vector<RankSpread> spreads;
  for (const RankMetric& metric : kRankMetrics) {
    spreads.push_back(spread_over(report.ranks, metric));
    if (metric.is_time) spreads.back().negligible = negligible_ns;
  }
  for (const RankRow& rank : report.ranks)
    files.emplace_back("rank-" + std::to_string(rank.rank) + ".md",
                       text_of_rank(report, rank, spreads));
  return files;
}

}  // namespace lockstep::analysis
