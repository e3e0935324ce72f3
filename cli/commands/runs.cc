// `lockstep runs list|show|rm|prune`: the runs under a folder.
#include <algorithm>
#include <memory>
#include <optional>

#include "cli/commands.h"
#include "cli/job/run_removal.h"
#include "cli/job/run_rows.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

struct RunsArguments {
  std::string parent = ".";
  std::vector<std::string> runs;
  std::string name, job, state;  // list: empty takes all
  std::optional<double> older_than_days;
  std::optional<uint64_t> keep_bytes;
  bool json = false, yes = false;
  bool wants(const RunRow& row) const {
    return row.name.find(name) != std::string::npos && (job.empty() || row.job == job) &&
           (state.empty() || row.state == state);
  }
  Consent consent() const { return yes ? Consent::Given : Consent::Ask; }
};

int list(const RunsArguments& arguments) {
  auto rows = run_rows(arguments.parent);
  if (!rows.ok()) return bad_input(rows.message());
  auto& found = rows.value();
  found.erase(std::remove_if(found.begin(), found.end(),
                             [&](const RunRow& row) { return !arguments.wants(row); }),
              found.end());
  if (arguments.json) {
    print_json(runs_json(found));
    return kOk;
  }
  Table table({{"run"},
               {"job"},
               {"state"},
               {"processes", Align::Right},
               {"ranks", Align::Right},
               {"bytes", Align::Right},
               {"lost", Align::Right},
               {"clock"},
               {"served at"}});
  for (const RunRow& row : rows.value()) {
    table.add({row.name, row.job, row.state, std::to_string(row.processes),
               std::to_string(row.ranks), std::to_string(row.bytes), std::to_string(row.lost),
               row.clock, row.urls.empty() ? "" : row.urls.front()});
  }
  print(table.text());
  return kOk;
}

int show(const RunsArguments& arguments) {
  const auto found = run_row(arguments.parent);
  if (!found.ok()) return bad_input(found.message());
  const RunRow& row = found.value();
  if (arguments.json) {
    print_json(run_json(row));
    return kOk;
  }
  const auto line = [](const char* what, const std::string& value) {
    if (!value.empty()) print(std::string(what) + "  " + value + "\n");
  };
  line("run      ", row.name);
  line("job      ", row.job);
  line("command  ", row.command);
  line("started  ", row.started);
  line("ended    ", row.ended);
  line("exit code", row.exit_code);
  line("state    ", row.state);
  line("processes", std::to_string(row.processes));
  line("ranks    ", std::to_string(row.ranks));
  line("bytes    ", std::to_string(row.bytes));
  line("lost     ", std::to_string(row.lost));
  line("clock    ", row.clock);
  for (const std::string& url : row.urls) line("served at", url);
  return kOk;
}

int rm(const RunsArguments& arguments) {
  std::vector<RunRow> chosen;
  for (const std::string& path : arguments.runs) {
    auto row = run_row(path);
    if (!row.ok()) return bad_input(row.message() + "; nothing was removed");
    chosen.push_back(std::move(row.value()));
  }
  return remove_runs(chosen, arguments.consent());
}

// The oldest first: those older than asked for, then more until what is left is small enough.
int prune(const RunsArguments& arguments) {
  if (!arguments.older_than_days && !arguments.keep_bytes)
    return bad_usage("say what goes: --older-than DAYS or --keep SIZE");
  auto rows = run_rows(arguments.parent);
  if (!rows.ok()) return bad_input(rows.message());
  uint64_t left = 0;
  std::vector<RunRow> ended;
  for (RunRow& row : rows.value()) {
    left += row.bytes;
    if (!row.running) ended.push_back(std::move(row));
  }
  std::stable_sort(ended.begin(), ended.end(),
                   [](const RunRow& a, const RunRow& b) { return a.written < b.written; });
  constexpr double kDayS = 86400;
  const auto now = static_cast<double>(std::time(nullptr));
  std::vector<RunRow> chosen;
  for (RunRow& row : ended) {
    const double age_days = (now - static_cast<double>(row.written)) / kDayS;
    const bool old = arguments.older_than_days && age_days > *arguments.older_than_days;
    const bool too_much = arguments.keep_bytes && left > *arguments.keep_bytes;
    if (!old && !too_much) continue;
    left -= row.bytes;
    chosen.push_back(std::move(row));
  }
  if (chosen.empty()) {
    print("nothing to remove\n");
    return kOk;
  }
  return remove_runs(chosen, arguments.consent());
}

void add_yes(base::Command command, const std::shared_ptr<RunsArguments>& arguments) {
  command.flag("--yes", &arguments->yes, "Do not ask");
}

}  // namespace

void add_runs(base::Command& lockstep) {
  const auto arguments = std::make_shared<RunsArguments>();
  base::Command runs = lockstep.group("runs", "List, show, remove or prune the runs in a folder");
  const auto add = [&](const char* name, const char* help, int (*run)(const RunsArguments&)) {
    return runs.command(name, help, [arguments, run] { return run(*arguments); });
  };
  base::Command command = add("list", "List the runs, one per line", list);
  command.option("PARENT", &arguments->parent, "The folder; default: the current one");
  command.flag("--json", &arguments->json, "Print a JSON array");
  command.option("--name", &arguments->name, "Only runs with this in their name").shown_as("TEXT");
  command.option("--job", &arguments->job, "Only runs of this job").shown_as("ID");
  command
      .option("--state", &arguments->state,
              "Only runs in this state, as the list prints it: ended, running, dead, ...")
      .shown_as("STATE");
  command = add("show", "Show one run", show);
  command.option("DIR", &arguments->parent, "The run directory").required();
  command.flag("--json", &arguments->json, "Print one JSON object");
  command = add("rm", "Remove lockstep's files from run directories", rm);
  command.option("DIR", &arguments->runs, "Run directories").required();
  add_yes(command, arguments);
  command = add("prune", "Remove runs by age or size, oldest first", prune);
  command.option("PARENT", &arguments->parent, "The folder; default: the current one");
  command
      .option("--older-than", &arguments->older_than_days,
              "Remove runs whose newest segment is older")
      .not_negative()
      .shown_as("DAYS");
  command
      .option("--keep", &arguments->keep_bytes,
              "Remove runs until the segments of the rest fit in this size; also 500M, 2G")
      .bytes()
      .shown_as("SIZE");
  add_yes(command, arguments);
}

}  // namespace lockstep::cli
