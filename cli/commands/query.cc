// `lockstep query DIR ["SQL"]`: questions about a run; without a statement, a shell that reads them
// from stdin.
#include <unistd.h>

#include <iostream>
#include <memory>

#include "analysis/judge/blame.h"
#include "analysis/say/not_known.h"
#include "analysis/sql/query_session.h"
#include "analysis/sql/sql_split.h"
#include "cli/commands.h"
#include "cli/show/output.h"
#include "cli/show/progress.h"
#include "cli/show/query_output.h"
#include "cli/show/selection_options.h"

namespace lockstep::cli {
namespace {

struct Arguments : RunArguments {
  std::string statement;
  SelectionArguments selection;
  bool csv = false;
  unsigned threads = 0;
};

int answer(analysis::QuerySession* session, const std::string& statement, QueryFormat format) {
  const Status loaded = session->load_for(statement);
  if (!loaded.ok()) return bad_input(loaded.message());
  for (const std::string& sentence : session->damage()) complain(sentence);
  const auto output = make_query_output(format);
  const Status done = session->query(statement, output.get());
  if (!done.ok()) return bad_usage(done.message());
  output->finish();
  return kOk;
}

// What is left behind the last semicolon is a statement too.
int answer_all(analysis::QuerySession* session, std::string text, QueryFormat format) {
  std::string statement;
  while (analysis::take_statement(&text, &statement)) {
    if (analysis::is_blank_statement(statement)) continue;
    const int code = answer(session, statement, format);
    if (code != kOk) return code;
  }
  return analysis::is_blank_statement(text) ? kOk : answer(session, text, format);
}

// A person's mistake ends nothing; a script's first one ends it, so that its exit code tells.
int shell(analysis::QuerySession* session, QueryFormat format) {
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
      const int code =
          analysis::is_blank_statement(statement) ? kOk : answer(session, statement, format);
      if (code != kOk && !person) return code;
    }
    if (analysis::is_blank_statement(text)) text.clear();
  }
  if (person) print("\n");
  return person ? kOk : answer_all(session, text, format);
}

int run(const Arguments& arguments) {
  analysis::LoadOptions load;
  load.threads = arguments.threads;
  auto selection = arguments.selection.selection();
  if (!selection.ok()) return bad_usage(selection.message());
  load.selection = std::move(selection.value());
  const auto tables = load_with_progress(arguments.directory, load);
  if (!tables.ok()) return bad_input(tables.message());
  analysis::add_causes(tables.value().get());
  const analysis::RunTables& run = *tables.value();
  const analysis::ExportInput input = analysis::export_input(arguments.directory, run);
  auto session = analysis::QuerySession::open(&input, {arguments.threads});
  if (!session.ok()) return bad_input(session.message());
  for (const std::string& note : table_notes(run)) complain(note);
  const QueryFormat format = arguments.json  ? QueryFormat::Json
                             : arguments.csv ? QueryFormat::Csv
                                             : QueryFormat::Table;
  const int code = arguments.statement.empty()
                       ? shell(session.value().get(), format)
                       : answer_all(session.value().get(), arguments.statement, format);
  return with_damage(code, run.damage);
}

}  // namespace

void add_query(base::Command& lockstep) {
  const auto arguments = std::make_shared<Arguments>();
  base::Command command = lockstep.command("query", "Query a run in SQL (needs DuckDB)",
                                           [arguments] { return run(*arguments); });
  command.option("DIR", &arguments->directory, "The run directory").required();
  command.option("SQL", &arguments->statement,
                 "Statements; if omitted, read from the terminal or a pipe");
  const base::Argument json =
      command.flag("--json", &arguments->json, "Print each result as a JSON array of objects");
  command.flag("--csv", &arguments->csv, "Print CSV with a header").excludes(json);
  arguments->selection.add_to(&command, "--to,--until");
  command.option("--threads", &arguments->threads, "Threads to use; 0: one per processor");
}

}  // namespace lockstep::cli
