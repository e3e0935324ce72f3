// `lockstep report DIR`: the answers as files, and the most important ones on the terminal.
#include "analysis/report/report.h"

#include <ctime>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "analysis/account/accounts.h"
#include "analysis/hostload/host_pressure.h"
#include "analysis/report/report_compare.h"
#include "analysis/report/report_json.h"
#include "analysis/report/report_markdown.h"
#include "analysis/report/report_snapshot.h"
#include "analysis/why/explain.h"
#include "base/clock_ns.h"
#include "base/json.h"
#include "base/system.h"
#include "cli/commands.h"
#include "cli/job/node_shares.h"
#include "cli/show/give_way.h"
#include "cli/show/log_options.h"
#include "cli/show/output.h"
#include "cli/show/progress.h"
#include "cli/show/selection_options.h"
#include "dumper/recovery/memory_files.h"
#include "live/follow/kept_headline.h"

namespace lockstep::cli {
namespace {

using analysis::Report;

struct ReportArguments : RunArguments {
  std::string output;
  SelectionArguments selection;
  LogArguments logs;
  std::vector<std::string> compare;
  size_t top = 20;
  bool force = false, snapshot = false, srun = false;
};

using Tables = std::unique_ptr<analysis::RunTables>;

// What of it is damaged is said and added to `damage`.
Result<Tables> read_run(const std::string& directory, const analysis::LoadOptions& load,
                        std::vector<std::string>* damage) {
  auto tables = load_with_progress(directory, load);
  if (!tables.ok()) return tables;
  const std::vector<std::string>& found = tables.value()->damage;
  for (const std::string& sentence : found) complain(sentence);
  damage->insert(damage->end(), found.begin(), found.end());
  return tables;
}

bool holds_nothing(const analysis::RunTables& run) {
  return run.operations.empty() && run.members.empty();
}

constexpr size_t kMostStackBytes = size_t{1} << 20;  // that a page has inside

Result<Report> report_of(const std::string& directory, size_t top, analysis::RunTables* tables) {
  const analysis::RunTables& run = *tables;
  if (holds_nothing(run))
    return Status::error(directory + ": no operation in it, so there is nothing to report" +
                         (run.notes.empty() ? std::string() : "; " + run.notes.front()));
  analysis::Judgement judgement = analysis::judge(run);
  for (const std::string& sentence : analysis::explain(directory, run, &judgement))
    complain(sentence);
  analysis::add_accounts(tables);
  analysis::add_host_pressure(directory, tables);
  Report report = analysis::make_report(run, judgement, "lockstep: " + directory, top);
  report.found_live = analysis::kept_findings(directory);
  report.stacks = analysis::kept_answer(directory, analysis::kKeptStacks, kMostStackBytes);
  return report;
}

std::string base_of(const ReportArguments& arguments) {
  return arguments.output.empty() ? arguments.directory : arguments.output;
}

Result<Tables> read_on_all_nodes(const ReportArguments& arguments,
                                 std::vector<std::string>* damage) {
  auto shares = NodeShares::create(arguments.directory, base_of(arguments));
  if (!shares.ok()) return shares.status();
  const Status read = shares.value()->processes();
  if (!read.ok()) return read;
  analysis::LoadOptions load;
  load.parts = shares.value()->parts();
  return read_run(arguments.directory, load, damage);
}

// summary/TAG; snapshot/TAG, where snapshots used to be, leads there.
std::string snapshot_place(const std::string& base) {
  const std::string tag = utc_text("%Y-%m-%dT%H-%M-%SZ", real_now_ns());
  std::error_code error;  // without the link the report is there all the same
  std::filesystem::create_directories(base + "/snapshot", error);
  std::filesystem::create_symlink("../summary/" + tag, base + "/snapshot/" + tag, error);
  return base + "/summary/" + tag;
}

void print_as_json(const Report& report, const std::string& place,
                   const analysis::Comparison* comparison) {
  JsonFields out;
  out.object([&] {
    out.string("output", place);
    put_report(report, comparison, &out);
  });
  print_json(out.text());
}

Result<analysis::Comparison> compare_with_earlier(const std::vector<std::string>& directories,
                                                  const Report& report,
                                                  std::vector<std::string>* damage) {
  std::vector<Report> earlier;
  for (const std::string& directory : directories) {
    const auto run = read_run(directory, analysis::LoadOptions(), damage);
    if (!run.ok()) return run.status();
    auto other = report_of(directory, 0, run.value().get());
    if (!other.ok()) return other.status();
    earlier.push_back(std::move(other.value()));
  }
  return earlier.empty() ? analysis::Comparison() : analysis::compare_reports(earlier, report);
}

int run_report(const ReportArguments& arguments) {
  if (arguments.snapshot) give_way();
  std::vector<std::string> damage;
  analysis::LoadOptions load;
  load.memory = true;
  auto selection = arguments.selection.selection();
  if (!selection.ok()) return bad_usage(selection.message());
  const Status logs_usage = arguments.logs.check();
  if (!logs_usage.ok()) return bad_usage(logs_usage.message());
  if (arguments.srun && arguments.selection.given())
    return bad_usage("--srun reads whole runs only");
  std::string directory = arguments.directory;
  const Status captured = arguments.selection.take_capture(&directory, &selection.value());
  if (!captured.ok()) return bad_input(captured.message());
  load.selection = std::move(selection.value());
  const auto tables =
      arguments.srun ? read_on_all_nodes(arguments, &damage) : read_run(directory, load, &damage);
  if (!tables.ok()) return bad_input(tables.message());
  if (arguments.snapshot && holds_nothing(*tables.value())) {
    print("nothing to report yet: no communicator is recorded so far\n");
    return with_damage(kOk, damage);
  }
  const Status logs = arguments.logs.read(arguments.directory, tables.value().get());
  if (!logs.ok()) return bad_input(logs.message());
  auto report = report_of(directory, arguments.top, tables.value().get());
  if (!report.ok()) return bad_input(report.message());
  if (!arguments.snapshot && !arguments.selection.given()) {
    std::string since = analysis::snapshot_sentence(base_of(arguments), report.value());
    if (!since.empty()) report.value().scope.push_back(std::move(since));
  }
  const auto comparison = compare_with_earlier(arguments.compare, report.value(), &damage);
  if (!comparison.ok()) return bad_input(comparison.message());
  analysis::ReportOptions options;
  options.is_final = !arguments.snapshot;
  options.directory = arguments.snapshot ? snapshot_place(base_of(arguments)) : base_of(arguments);
  options.if_exists = arguments.force ? IfExists::Replace : IfExists::Refuse;
  options.top = arguments.top;
  const bool compared = !arguments.compare.empty();
  if (compared) options.comparison = &comparison.value();
  const Status written = analysis::write_report(report.value(), options);
  if (!written.ok()) return bad_input(written.message());
  const bool of_it_all = options.directory == arguments.directory && !arguments.selection.given();
  if (of_it_all)
    serve::keep_headline(dumper::real_path(directory), serve::headline_of(report.value(), false));
  if (arguments.json) {
    print_as_json(report.value(), options.directory, compared ? &comparison.value() : nullptr);
  } else {
    print(analysis::report_head(report.value()));
    if (compared) print(analysis::comparison_text(comparison.value()));
    print("written: " + options.directory +
          "/summary.md, report.html, operations.csv, aggregate.csv, top.csv, steps.csv, "
          "classes.csv, spread.csv, summary/rank-N.md\n");
  }
  return with_damage(comparison.value().slower.empty() ? kOk : kFinding, damage);
}

}  // namespace

void add_report(base::Command& lockstep) {
  const auto arguments = std::make_shared<ReportArguments>();
  base::Command command = add_run_command(
      lockstep, "report",
      "Report what takes the time, who is late and who waits, even while the job runs: text, CSV "
      "and a page with plots",
      arguments, run_report);
  command.option("-o,--output", &arguments->output, "Where to write; default: DIR")
      .shown_as("PATH");
  command.option("--top", &arguments->top, "Lines per ranking in top.csv; default 20")
      .between(1, 1000000);
  command
      .option("--compare", &arguments->compare,
              "Name what became slower since this earlier run; exit 1 if anything did. "
              "Repeat it: several runs show how much they differ anyway")
      .shown_as("OTHER")
      .one_each();
  arguments->logs.add_to(&command);
  arguments->selection.add_to(&command, "--to");
  command.flag("--snapshot", &arguments->snapshot,
               "Write under summary/<time>/, beside earlier ones; snapshot/<time> leads there");
  command.flag("--force", &arguments->force, "Replace an earlier report");
  command.flag("--srun", &arguments->srun,
               "In a SLURM job: read on all of its nodes and put the results together here");
}

}  // namespace lockstep::cli
