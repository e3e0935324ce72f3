// `lockstep query DIR ["SQL"]`: questions about a run, also while it runs (--live); without a statement,
// a shell that reads them from stdin.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>

#include "analysis/account/accounts.h"
#include "analysis/judge/blame.h"
#include "analysis/say/not_known.h"
#include "analysis/sql/narrow.h"
#include "analysis/sql/query_session.h"
#include "analysis/sql/sql_split.h"
#include "analysis/tables/table_columns.h"
#include "cli/commands.h"
#include "cli/live/live_run.h"
#include "cli/show/output.h"
#include "cli/show/progress.h"
#include "cli/show/query_output.h"
#include "cli/show/selection_options.h"

namespace lockstep::cli {
namespace {

constexpr int64_t kAskedPartNs = 5'000'000'000;  // the end of a running job that is asked about

struct QueryArguments : LiveRunArguments {
  std::string statement;
  SelectionArguments selection;
  bool csv = false;
  unsigned threads = 0;
};

// How answers are shown; `rows`: where JSON goes that is part of something larger.
struct Shown {
  QueryFormat format = QueryFormat::Table;
  std::string* rows = nullptr;
};
struct Questions {
  analysis::RunTables* run;
  analysis::QuerySession* session;
  Shown shown;
  bool has_causes = false;
};

// The tables, and the column `cause`, that cost a replay of the run, once a statement names one of
// them or a table with that column.
void fill_replayed(Questions* to, const std::string& statement) {
  const std::set<std::string> words = analysis::tables_of_statement(statement);
  const auto named = [&](const char* table) { return words.count(table) != 0; };
  const bool accounts =
      std::any_of(std::begin(analysis::kAccountTables), std::end(analysis::kAccountTables), named);
  if (accounts && to->run->critical_path.empty()) analysis::add_accounts(to->run);
  if (to->has_causes || !(named("arrivals") || named("matches"))) return;
  analysis::add_causes(to->run);
  to->has_causes = true;
}

int answer(Questions* to, const std::string& statement) {
  fill_replayed(to, statement);
  const Status loaded = to->session->load_for(statement);
  if (!loaded.ok()) return bad_input(loaded.message());
  for (const std::string& sentence : to->session->damage()) complain(sentence);
  const auto output = to->shown.rows != nullptr ? make_json_output(to->shown.rows)
                                                : make_query_output(to->shown.format);
  const Status done = to->session->query(statement, output.get());
  if (!done.ok()) return bad_usage(done.message());
  output->finish();
  return kOk;
}

// What is left behind the last semicolon is a statement too.
int answer_all(Questions* to, std::string text) {
  std::string statement;
  while (analysis::take_statement(&text, &statement)) {
    if (analysis::is_blank_statement(statement)) continue;
    const int code = answer(to, statement);
    if (code != kOk) return code;
  }
  return analysis::is_blank_statement(text) ? kOk : answer(to, text);
}

// A person's mistake ends nothing; a script's first one ends it, so that its exit code tells.
int shell(Questions* to) {
  const bool person = isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1;
  std::string text, line, statement;
  while (true) {
    if (person) {
      print(text.empty() ? "lockstep> " : "     ...> ");
      std::fflush(stdout);
    }
    if (!std::getline(std::cin, line)) break;
    text += line + "\n";
    while (analysis::take_statement(&text, &statement)) {
      const int code = analysis::is_blank_statement(statement) ? kOk : answer(to, statement);
      if (code != kOk && !person) return code;
    }
    if (analysis::is_blank_statement(text)) text.clear();
  }
  if (person) print("\n");
  return person ? kOk : answer_all(to, text);
}

// What the statements say of a directory.
int ask(const std::string& directory, dumper::Selection selection, const QueryArguments& arguments,
        const Shown& shown) {
  analysis::LoadOptions load;
  load.threads = arguments.threads;
  load.selection = std::move(selection);
  const auto tables = load_with_progress(directory, load);
  if (!tables.ok()) return bad_input(tables.message());
  const analysis::RunTables& run = *tables.value();
  const analysis::ExportInput input = analysis::export_input(directory, run);
  auto session = analysis::QuerySession::open(&input, {arguments.threads});
  if (!session.ok()) return bad_input(session.message());
  for (const std::string& note : table_notes(run)) complain(note);
  Questions to{tables.value().get(), session.value().get(), shown};
  const int code = arguments.statement.empty() ? shell(&to) : answer_all(&to, arguments.statement);
  return with_damage(code, run.damage);
}

int run_live(const QueryArguments& arguments, dumper::Selection selection, Shown shown) {
  if (!selection.has_span()) selection.last_ns = kAskedPartNs;
  const analysis::NarrowQuestion narrow = analysis::narrow_question(arguments.statement);
  const LiveNeeds needs{narrow.host_load, narrow.ranks,   narrow.has_times, narrow.is_of_operations,
                        narrow.kinds,     narrow.from_ns, narrow.to_ns};
  const auto live = LiveRun::gather(arguments, std::move(selection), needs);
  if (!live.ok()) return bad_input(live.message());
  const live::Answers& answers = live.value()->answers();
  std::string rows = "[]";
  if (shown.format == QueryFormat::Json) shown.rows = &rows;
  int code = kOk;
  if (answers.hosts_answered != 0)
    code = ask(live.value()->directory(), live.value()->selection(), arguments, shown);
  if (code == kUsage || code == kBadInput) return code;
  const int answered = print_live(arguments, answers, "rows", rows, "");
  return answered == kOk ? code : answered;
}

int run(QueryArguments arguments) {
  // Of a job that is asked elsewhere the only argument is the statement.
  if (arguments.live && arguments.statement.empty() &&
      !std::filesystem::is_directory(arguments.run))
    std::swap(arguments.statement, arguments.run);
  if (!arguments.live && arguments.run.empty()) return bad_usage("DIR is required");
  auto selection = arguments.selection.selection();
  if (!selection.ok()) return bad_usage(selection.message());
  const auto kinds = wanted_kinds(arguments);
  if (!kinds.ok()) return bad_usage(kinds.message());
  Shown shown;
  if (arguments.json) shown.format = QueryFormat::Json;
  if (arguments.csv) shown.format = QueryFormat::Csv;
  if (arguments.live && !arguments.selection.capture.empty())
    return bad_usage("--capture is of what was recorded: without --live");
  if (arguments.live) return run_live(arguments, std::move(selection.value()), shown);
  std::string directory = arguments.run;
  const Status captured = arguments.selection.take_capture(&directory, &selection.value());
  if (!captured.ok()) return bad_input(captured.message());
  return ask(directory, std::move(selection.value()), arguments, shown);
}

}  // namespace

void add_query(base::Command& lockstep) {
  const auto arguments = std::make_shared<QueryArguments>();
  base::Command command = lockstep.command("query", "Query a run in SQL (needs DuckDB)",
                                           [arguments] { return run(*arguments); });
  command.option("DIR", &arguments->run, "The run directory");
  command.option("SQL", &arguments->statement,
                 "Statements; if omitted, read from the terminal or a pipe");
  const base::Argument json =
      command.flag("--json", &arguments->json, "Print each result as a JSON array of objects");
  command.flag("--csv", &arguments->csv, "Print CSV with a header").excludes(json);
  arguments->selection.add_to(&command, "--to");
  add_live_run_options(command, arguments.get());
  command.option("--threads", &arguments->threads, "Threads to use; 0: one per processor");
}

}  // namespace lockstep::cli
