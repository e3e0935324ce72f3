#include "analysis/report/report_spread.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "analysis/report/report_facts.h"
#include "analysis/say/names.h"
#include "analysis/say/table_coverage.h"
#include "analysis/say/words.h"
#include "analysis/tables/classes.h"
#include "analysis/tables/labels.h"
#include "base/csv_field.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

constexpr double kFarDeviations = 5, kDeviationPerMad = 1.4826, kFarShare = 0.1;
constexpr double kNegligible = 0.01;  // of the median time in operations
constexpr size_t kTableCommunicators = 6;

std::string plain_number(double value) { return std::to_string(std::llround(value)); }
std::string as_bytes(double value) { return bytes(static_cast<uint64_t>(std::llround(value))); }
std::string as_duration(double value) { return duration(std::llround(value)); }

RankSpread spread_over(const std::vector<RankRow>& ranks, const RankMetric& metric) {
  std::vector<double> values, away;
  for (const RankRow& rank : ranks) values.push_back(metric.value(rank));
  RankSpread spread;
  const auto ends = std::minmax_element(values.begin(), values.end());
  spread.least = *ends.first;
  spread.most = *ends.second;
  spread.least_rank = ranks[static_cast<size_t>(ends.first - values.begin())].rank;
  spread.most_rank = ranks[static_cast<size_t>(ends.second - values.begin())].rank;
  spread.middle = median_of(values);
  for (const double value : values) away.push_back(std::abs(value - spread.middle));
  spread.deviation = kDeviationPerMad * median(&away);
  return spread;
}

std::vector<int32_t> far_ranks(const std::vector<RankRow>& ranks, const RankMetric& metric,
                               const RankSpread& spread) {
  std::vector<int32_t> far;
  for (const RankRow& rank : ranks) {
    if (spread.is_far(metric.value(rank))) far.push_back(rank.rank);
  }
  return far;
}

// In a spreadsheet's cell.
std::string numbers(const std::vector<int32_t>& ranks) {
  std::string text;
  for (const int32_t rank : ranks) text += (text.empty() ? "" : " ") + std::to_string(rank);
  return text;
}

}  // namespace

const std::vector<RankMetric>& rank_metrics() {
  static const std::vector<RankMetric> metrics = {
      {"operations", "operations",
       [](const RankRow& r) { return static_cast<double>(r.operations); }, plain_number, false},
      {"bytes", "bytes", [](const RankRow& r) { return static_cast<double>(r.bytes); }, as_bytes,
       false},
      {"time", "ns", [](const RankRow& r) { return static_cast<double>(r.elapsed_ns); },
       as_duration, true},
      {"waited", "ns", [](const RankRow& r) { return static_cast<double>(r.wait_ns); }, as_duration,
       true},
      {"made others wait", "ns",
       [](const RankRow& r) { return static_cast<double>(r.caused_wait_ns); }, as_duration, true}};
  return metrics;
}

bool RankSpread::is_far(double value) const {
  const double away = std::abs(value - middle);
  return away > kFarDeviations * deviation && away > kFarShare * std::abs(middle) &&
         away > negligible;
}

std::vector<RankSpread> spreads_over(const std::vector<RankRow>& ranks) {
  std::vector<double> times;
  for (const RankRow& rank : ranks) times.push_back(static_cast<double>(rank.elapsed_ns));
  const double negligible_ns = kNegligible * median(&times);
  std::vector<RankSpread> spreads;
  for (const RankMetric& metric : rank_metrics()) {
    spreads.push_back(spread_over(ranks, metric));
    if (metric.is_time) spreads.back().negligible = negligible_ns;
  }
  return spreads;
}

std::vector<CommRanks> ranks_of_communicators(const RunTables& run,
                                              const std::vector<RankBlame>& blames) {
  std::vector<std::map<int32_t, RankRow>> ranks(run.communicators.size());
  for (const OperationRow& op : run.operations) {
    if (op.communicator >= ranks.size() || op.kind == OpKind::Assembled) continue;
    RankRow& row = ranks[op.communicator][op.rank];
    row.rank = op.rank;
    if (row.operations == 0) row.host = run.text(run.processes[op.process].host);
    ++row.operations;
    row.bytes += op.size_bytes;
    const int64_t elapsed = elapsed_of(op);
    if (elapsed != kNoTime) row.elapsed_ns += elapsed;
  }
  for (const RankBlame& blamed : blames) {
    if (blamed.communicator >= ranks.size()) continue;
    const auto found = ranks[blamed.communicator].find(blamed.rank);
    if (found == ranks[blamed.communicator].end()) continue;
    found->second.late += blamed.late;
    found->second.wait_ns += blamed.own_wait_ns;
    found->second.caused_wait_ns += blamed.caused_wait_ns;
    found->second.cause = blamed.cause;
  }
  std::vector<CommRanks> out;
  for (uint32_t c = 0; c < ranks.size(); ++c) {
    if (ranks[c].empty()) continue;
    const CommunicatorRow& row = run.communicators[c];
    CommRanks& one = out.emplace_back();
    one.communicator = c;
    one.label = communicator_label(run, c);
    one.role = known_word(row.role);
    one.role_reason = run.text(row.role_reason);
    one.reach = known_word(reach_of(run, row));
    one.nranks = row.nranks;
    for (auto& [rank, of_rank] : ranks[c]) {
      one.operations += of_rank.operations;
      one.bytes += of_rank.bytes;
      one.elapsed_ns += of_rank.elapsed_ns;
      one.ranks.push_back(std::move(of_rank));
    }
  }
  std::stable_sort(out.begin(), out.end(), [](const CommRanks& a, const CommRanks& b) {
    return a.operations > b.operations;
  });
  return out;
}

SaidTable spread_table(const std::vector<CommRanks>& communicators) {
  SaidTable table;
  table.title = "Spread across ranks";
  table.words =
      "Of each communicator, which ranks are far from the others (what counts as far: "
      "docs/report.md). A mark is no verdict.";
  if (communicators.size() > kTableCommunicators)
    table.words += " Those of " +
                   counted(communicators.size() - kTableCommunicators, "more communicator") +
                   " with fewer operations are in spread.csv.";
  table.columns = {"communicator", "per rank", "least", "middle", "most", "far from the others"};
  table.rests = kOnEnds | kOnWaits;
  for (size_t c = 0; c < communicators.size() && c < kTableCommunicators; ++c) {
    const CommRanks& one = communicators[c];
    const std::vector<RankSpread> spreads = spreads_over(one.ranks);
    for (size_t i = 0; i < spreads.size(); ++i) {
      const RankMetric& metric = rank_metrics()[i];
      const RankSpread& spread = spreads[i];
      const auto far = far_ranks(one.ranks, metric, spread);
      table.rows.push_back({one.label + ", " + counted(one.ranks.size(), "rank"), metric.name,
                            metric.print(spread.least) + " (" + rank_name(spread.least_rank) + ")",
                            metric.print(spread.middle),
                            metric.print(spread.most) + " (" + rank_name(spread.most_rank) + ")",
                            far.empty() ? "-" : rank_list(far)});
    }
  }
  return table;
}

std::string report_spread_csv(const Report& report) {
  std::string text =
      "communicator,role,role_reason,reach,ranks,metric,unit,least,least_rank,median,most,most_"
      "rank,"
      "far_ranks\n";
  for (const CommRanks& one : report.communicators) {
    const std::vector<RankSpread> spreads = spreads_over(one.ranks);
    for (size_t i = 0; i < spreads.size(); ++i) {
      const RankMetric& metric = rank_metrics()[i];
      const RankSpread& spread = spreads[i];
      text += csv_field(one.label) + ',' + one.role + ',' + csv_field(one.role_reason) + ',' +
              one.reach + ',' + std::to_string(one.ranks.size()) + ',' + metric.name + ',' +
              metric.unit + ',' + plain_number(spread.least) + ',' +
              std::to_string(spread.least_rank) + ',' + plain_number(spread.middle) + ',' +
              plain_number(spread.most) + ',' + std::to_string(spread.most_rank) + ',' +
              numbers(far_ranks(one.ranks, metric, spread)) + '\n';
    }
  }
  return text;
}

}  // namespace lockstep::analysis
