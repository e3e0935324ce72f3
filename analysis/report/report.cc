#include "analysis/report/report.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <tuple>

#include "analysis/report/report_accounts.h"
#include "analysis/report/report_classes.h"
#include "analysis/report/report_csv.h"
#include "analysis/report/report_facts.h"
#include "analysis/report/report_html.h"
#include "analysis/report/report_markdown.h"
#include "analysis/report/report_page_facts.h"
#include "analysis/report/report_phases.h"
#include "analysis/report/report_ranks.h"
#include "analysis/report/report_scope.h"
#include "analysis/report/report_spread.h"
#include "analysis/report/report_starts.h"
#include "analysis/report/report_top.h"
#include "analysis/say/findings.h"
#include "analysis/say/headline.h"
#include "analysis/say/not_known.h"
#include "analysis/say/times.h"
#include "analysis/tables/labels.h"
#include "analysis/tables/operation_address.h"
#include "base/quantile.h"

namespace lockstep::analysis {
namespace {

constexpr const char *kRankFolder = "summary", *kFinalFolder = "summary/final";

struct Samples {
  SignatureRow row;
  const OperationRow* example = nullptr;
  int64_t slowest_ns = kNoTime;  // of the example
  std::vector<int64_t> elapsed, wait, transfer, skew;
  std::vector<double> busbw;
};
using Key = std::tuple<Text, Text, Text, Text, OpKind, int32_t, uint64_t>;
using Groups = std::map<Key, Samples>;

int32_t nranks_of(const RunTables& run, uint32_t communicator) {
  return communicator < run.communicators.size() ? run.communicators[communicator].nranks : 0;
}

Samples& group_of(const RunTables& run, const OperationRow& op, Groups* groups) {
  const int32_t nranks = nranks_of(run, op.communicator);
  Samples& group =
      (*groups)[{op.func, op.algo, op.proto, op.datatype, op.kind, nranks, op.size_bytes}];
  if (group.row.operations == 0) {
    group.row.func = run.text(op.func);
    group.row.algo = run.text(op.algo);
    group.row.proto = run.text(op.proto);
    group.row.datatype = run.text(op.datatype);
    group.row.kind = op.kind;
    group.row.nranks = nranks;
    group.row.size_bytes = op.size_bytes;
  }
  return group;
}

void add_operations(const RunTables& run, Groups* groups) {
  for (const OperationRow& op : run.operations) {
    Samples& group = group_of(run, op, groups);
    const int64_t elapsed = elapsed_of(op);
    if (group.row.operations++ == 0 || elapsed > group.slowest_ns) {
      group.slowest_ns = elapsed;
      group.example = &op;
    }
    group.row.bytes += op.size_bytes;
    ++group.row.states[static_cast<size_t>(op.state)];
    if (elapsed != kNoTime) group.elapsed.push_back(elapsed);
  }
}

// A send and a receive are one match, under the name of the send.
const OperationRow* operation_of(const RunTables& run, const MatchRow& match) {
  const Text send = run.strings.find("Send");
  const OperationRow* first = nullptr;
  for (uint32_t n = 0; n < match.arrivals; ++n) {
    const uint32_t row = run.arrivals[match.first_arrival + n].operation;
    if (row >= run.operations.size()) continue;
    if (send != 0 && run.operations[row].func == send) return &run.operations[row];
    if (first == nullptr) first = &run.operations[row];
  }
  return first;
}

void add_arrivals(const RunTables& run, Groups* groups) {
  for (const ArrivalRow& arrival : run.arrivals) {
    if (arrival.operation >= run.operations.size()) continue;
    Samples& group = group_of(run, run.operations[arrival.operation], groups);
    if (arrival.wait_ns != kNoTime) group.wait.push_back(arrival.wait_ns);
    if (arrival.transfer_ns != kNoTime) group.transfer.push_back(arrival.transfer_ns);
    if (arrival.busbw_gbs > 0) group.busbw.push_back(arrival.busbw_gbs);
  }
  for (const MatchRow& match : run.matches) {
    if (match.arrivals == 0 || match.first_arrival >= run.arrivals.size()) continue;
    const OperationRow* named = operation_of(run, match);
    if (named == nullptr) continue;
    Samples& group = group_of(run, *named, groups);
    ++group.row.matches;
    if (match.comparable != 0 && match.spread_ns != kNoTime) group.skew.push_back(match.spread_ns);
  }
}

void add_clock(const RunTables& run, Report* report) {
  std::map<Text, double> hosts;
  std::map<Text, int64_t> first_offsets_ns;
  int64_t first_ns = kNoTime;
  for (const ClockRow& row : run.clock) {
    first_offsets_ns.emplace(row.host, row.offset_ns);
    const int64_t at_ns = row.at_ns + row.offset_ns;
    if (first_ns == kNoTime || at_ns < first_ns) first_ns = at_ns;
    if (hosts.emplace(row.host, static_cast<double>(hosts.size())).second)
      report->clock_hosts.push_back(run.text(row.host));
  }
  constexpr size_t kPoints = 4000;  // a page of them; more cannot be told apart on a screen
  const size_t every = run.clock.size() / kPoints + 1;
  for (size_t i = 0; i < run.clock.size(); i += every) {
    const ClockRow& row = run.clock[i];
    report->clock_points.push_back(
        {hosts[row.host], static_cast<double>(row.at_ns + row.offset_ns - first_ns) / 1e9,
         static_cast<double>(row.error_ns) / 1e3,
         static_cast<double>(row.offset_ns - first_offsets_ns[row.host]) / 1e3});
  }
}

// summary/final/ names what lies at the run's top, where programs have always found it. A link that is there already leads there.
Status link_final(const std::string& directory, const std::vector<std::string>& names) {
  const std::filesystem::path folder = directory + "/" + kFinalFolder;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  for (const std::string& name : names) {
    if (error) break;
    if (std::filesystem::is_symlink(folder / name, error)) continue;
    error.clear();
    std::filesystem::create_symlink("../../" + name, folder / name, error);
  }
  return error
             ? Status::error(folder.string() + ": cannot link the report there: " + error.message())
             : Status();
}

}  // namespace

Spread spread_of(std::vector<int64_t>* samples) {
  Spread spread;
  spread.count = samples->size();
  if (samples->empty()) return spread;
  std::sort(samples->begin(), samples->end());
  for (const int64_t sample : *samples) spread.sum_ns += sample;
  const auto at = [&](double place) {
    const double last = static_cast<double>(samples->size() - 1);
    return (*samples)[static_cast<size_t>(std::lround(std::clamp(place, 0.0, last)))];
  };
  const auto n = static_cast<double>(samples->size());
  constexpr double kDeviations = 3.29;  // 99.9 % of a normal distribution
  const double half_width = kDeviations * std::sqrt(n) / 2;
  spread.median_ns = at((n - 1) / 2);
  spread.p99_ns = at(std::ceil(0.99 * n) - 1);
  spread.max_ns = samples->back();
  spread.median_low_ns = at(std::floor(n / 2 - half_width));
  spread.median_high_ns = at(std::ceil(n / 2 + half_width));
  return spread;
}

std::vector<SignatureRow> make_signatures(const RunTables& run) {
  Groups groups;
  add_operations(run, &groups);
  add_arrivals(run, &groups);
  std::vector<SignatureRow> rows;
  for (auto& [key, group] : groups) {
    group.row.elapsed = spread_of(&group.elapsed);
    group.row.wait = spread_of(&group.wait);
    group.row.transfer = spread_of(&group.transfer);
    group.row.skew = spread_of(&group.skew);
    group.row.busbw_gbs = median(&group.busbw);
    if (group.example != nullptr) group.row.example = operation_address(run, *group.example);
    rows.push_back(std::move(group.row));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const SignatureRow& a, const SignatureRow& b) {
    return a.elapsed.sum_ns > b.elapsed.sum_ns;
  });
  return rows;
}

Report make_report(const RunTables& run, const Judgement& judgement, const std::string& title,
                   size_t top) {
  Report report;
  const std::vector<Capability> capabilities = find_capabilities(run);
  report.title = title;
  report.signatures = make_signatures(run);
  report.classes = operation_classes(run);
  report.communicators = ranks_of_communicators(run, judgement.ranks);
  if (!report.communicators.empty()) {
    CommRanks& busiest = report.communicators.front();
    add_rank_examples(run, busiest.communicator, &busiest.ranks);
    report.accounts = {spread_table(report.communicators),
                       communicators_table(report.communicators, capabilities),
                       classes_table(report.classes)};
  }
  add_clock(run, &report);
  report.headline = headline(run, judgement);
  report.no_finding = no_finding(run);
  add_page_facts(run, judgement, &report);
  report.clock_text = clock_sentence(run);
  const std::string gpu_times = gpu_times_sentence(run);
  if (!gpu_times.empty()) report.clock_text += " " + gpu_times;
  report.coverage = sentences(run, judgement.not_known);
  report.answers = answer_sentences(run, judgement, report);
  add_accounts_of(run, &report);
  report.tops = top_lines(run, top);
  report.scope = scope_sentences(run);
  report.metrics = metrics_of(run, report);
  report.damage = run.damage;
  for (const SignatureRow& row : report.signatures) {
    if (row.kind == OpKind::Assembled) continue;  // its sends and receives are counted
    for (const OpState state : {OpState::InFlight, OpState::Incomplete, OpState::Aborted})
      report.without_end += row.states[static_cast<size_t>(state)];
  }
  for (auto& metric : scope_metrics(run)) report.metrics.push_back(std::move(metric));
  for (auto& metric : start_metrics(run)) report.metrics.push_back(std::move(metric));
  add_phases_of(run, &report);
  report.starts = comm_starts(run);
  if (!report.starts.empty()) report.accounts.push_back(starts_table(report.starts));
  add_coverage(run, capabilities, &report);
  return report;
}

Status write_report(const Report& report, const ReportOptions& options) {
  std::error_code error;
  std::filesystem::create_directories(options.directory, error);
  if (error)
    return Status::error(options.directory + ": cannot make it: " + error.message() +
                         "; choose another place with -o");
  std::vector<std::pair<std::string, std::string>> files = {
      {"summary.md", report_markdown(report)},
      {"operations.csv", report_operations_csv(report)},
      {"aggregate.csv", report_aggregate_csv(report)},
      {"top.csv", report_top_csv(report, options.top)},
      {"steps.csv", report_steps_csv(report)},
      {"classes.csv", report_classes_csv(report)},
      {"spread.csv", report_spread_csv(report)},
      {"report.html", report_html(report, options.comparison)}};
  std::vector<std::string> names;
  for (const auto& [name, text] : files) names.push_back(name);
  for (auto& [name, text] : rank_summaries(report))
    files.emplace_back(std::string(kRankFolder) + "/" + name, std::move(text));
  std::filesystem::create_directories(options.directory + "/" + kRankFolder, error);
  if (error)
    return Status::error(options.directory + "/" + kRankFolder +
                         ": cannot make it: " + error.message());
  for (const auto& [name, text] : files) {
    const std::string path = options.directory + "/" + name;
    if (options.if_exists == IfExists::Refuse && std::filesystem::exists(path, error))
      return Status::error(path +
                           " exists; replace the report with --force or write it elsewhere "
                           "with -o");
  }
  for (const auto& [name, text] : files) {
    auto file = OutputFile::create(options.directory + "/" + name, options.if_exists);
    if (!file.ok()) return file.status();
    file.value()->write(text);
    Status done = file.value()->commit();
    if (!done.ok()) return done;
  }
  return options.is_final ? link_final(options.directory, names) : Status();
}

}  // namespace lockstep::analysis
