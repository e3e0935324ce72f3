// `lockstep report DIR`: the answers as files, and the most important ones on the terminal.
#include "analysis/report/report.h"

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/report_compare.h"
#include "analysis/report/report_markdown.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/job/node_shares.h"
#include "cli/show/output.h"
#include "cli/show/progress.h"

namespace lockstep::cli {
namespace {

using analysis::Report;

struct Arguments : RunArguments {
  std::string output;
  std::vector<std::string> compare;
  size_t top = 20;
  bool force = false, snapshot = false, srun = false;
};

// `parts`: what other nodes have read of it; empty: it is read here.
Result<Report> report_of(const std::string& directory, const std::string& parts) {
  analysis::LoadOptions load;
  load.parts = parts;
  const auto tables = load_with_progress(directory, load);
  if (!tables.ok()) return tables.status();
  const analysis::RunTables& run = *tables.value();
  if (run.operations.empty() && run.members.empty())
    return Status::error(directory + ": no operation in it, so there is nothing to report" +
                         (run.notes.empty() ? std::string() : "; " + run.notes.front()));
  return analysis::make_report(run, analysis::judge(run), "lockstep: " + directory);
}

std::string base_of(const Arguments& arguments) {
  return arguments.output.empty() ? arguments.directory : arguments.output;
}

Result<Report> report_from_all_nodes(const Arguments& arguments) {
  auto shares = NodeShares::create(arguments.directory, base_of(arguments));
  if (!shares.ok()) return shares.status();
  const Status read = shares.value()->processes();
  if (!read.ok()) return read;
  return report_of(arguments.directory, shares.value()->parts());
}

std::string place_of(const Arguments& arguments) {
  std::string base = base_of(arguments);
  if (!arguments.snapshot) return base;
  char stamp[32];
  const time_t now = time(nullptr);
  tm utc{};
  gmtime_r(&now, &utc);
  strftime(stamp, sizeof stamp, "%Y-%m-%dT%H-%M-%SZ", &utc);
  return base + "/snapshot/" + stamp;
}

void put_changes(const char* key, const std::vector<analysis::Change>& changes,
                 JsonFields* out) {
  out->list(key, changes, [&](const analysis::Change& change) {
    out->object([&] {
      out->string("what", change.what);
      out->number("before_median_ns", change.before.median_ns);
      out->number("after_median_ns", change.after.median_ns);
      out->number("ratio", change.ratio);
      out->number("earlier_runs_ratio", change.between);
    });
  });
}

void print_as_json(const Report& report, const std::string& place,
                   const analysis::Comparison* comparison) {
  JsonFields out;
  out.object([&] {
    out.string("output", place);
    for (const auto& [metric, value] : report.metrics) out.raw(metric, value);
    out.strings("answers", report.answers);
    out.string("times", report.clock_text);
    out.strings("not_known", report.coverage);
    if (comparison != nullptr) {
      put_changes("slower", comparison->slower, &out);
      put_changes("faster", comparison->faster, &out);
    }
  });
  print_json(out.text());
}

int run_report(const Arguments& arguments) {
  const auto report =
      arguments.srun ? report_from_all_nodes(arguments) : report_of(arguments.directory, "");
  if (!report.ok()) return bad_input(report.message());
  analysis::Comparison comparison;
  std::vector<Report> earlier;
  for (const std::string& directory : arguments.compare) {
    auto other = report_of(directory, "");
    if (!other.ok()) return bad_input(other.message());
    earlier.push_back(std::move(other.value()));
  }
  if (!earlier.empty()) comparison = analysis::compare_reports(earlier, report.value());
  analysis::ReportOptions options;
  options.directory = place_of(arguments);
  options.if_exists = arguments.force ? IfExists::Replace : IfExists::Refuse;
  options.top = arguments.top;
  const Status written = analysis::write_report(report.value(), options);
  if (!written.ok()) return bad_input(written.message());
  const bool compared = !arguments.compare.empty();
  if (arguments.json) {
    print_as_json(report.value(), options.directory, compared ? &comparison : nullptr);
  } else {
    print(analysis::report_head(report.value()));
    if (compared) print(analysis::comparison_text(comparison));
    print("written: " + options.directory +
          "/summary.md, report.html, operations.csv, aggregate.csv, top.csv\n");
  }
  return comparison.slower.empty() ? kOk : kFinding;
}

}  // namespace

void add_report(base::Command& lockstep) {
  const auto arguments = std::make_shared<Arguments>();
  base::Command command = add_run_command(
      lockstep, "report",
      "What dominates, who is late and who waits, also while the job runs: in words, as CSV and as "
      "a page with plots",
      arguments, run_report);
  command.option("-o,--output", &arguments->output, "Where to write; default: DIR")
      .shown_as("PATH");
  command.option("--top", &arguments->top, "Lines per ranking in top.csv; default 20");
  command
      .option("--compare", &arguments->compare,
              "An earlier run (repeatable): what became slower since, exit 1 when "
              "something did; several show how much runs differ anyway")
      .shown_as("OTHER")
      .one_each();
  command.flag("--snapshot", &arguments->snapshot,
               "Write under snapshot/<time>/, beside earlier ones");
  command.flag("--force", &arguments->force, "Replace an earlier report");
  command.flag("--srun", &arguments->srun,
               "In a SLURM job: read on all of its nodes and put the results together here");
}

}  // namespace lockstep::cli
