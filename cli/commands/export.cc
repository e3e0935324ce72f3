// `lockstep export DIR --to FORMAT -o PATH`: a run for other tools.
#include "analysis/export/export.h"

#include <memory>

#include "analysis/account/accounts.h"
#include "analysis/judge/blame.h"
#include "analysis/say/not_known.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/job/node_shares.h"
#include "cli/show/log_options.h"
#include "cli/show/output.h"
#include "cli/show/progress.h"
#include "cli/show/selection_options.h"

namespace lockstep::cli {
namespace {

using analysis::ExportSummary;

struct ExportArguments : RunArguments {
  std::string format, output, name;
  LogArguments logs;
  SelectionArguments selection;
  bool force = false, gzip = false, srun = false, no_correct = false;
  unsigned threads = 0;
};

std::string formats_help() {
  std::string text = "What to write:";
  for (const auto& format : analysis::export_formats())
    text += std::string("\n") + format.name + ": " + format.help;
  return text;
}

void print_as_json(const ExportArguments& arguments, const ExportSummary& summary) {
  JsonFields out;
  const auto counts = [&](const char* key, const std::vector<analysis::ExportCount>& list) {
    out.object(key, [&] {
      for (const analysis::ExportCount& entry : list) out.number(entry.what, entry.count);
    });
  };
  out.object([&] {
    out.string("format", arguments.format);
    out.string("output", arguments.output);
    counts("written", summary.written);
    counts("left_out", summary.left_out);
    out.strings("notes", summary.notes);
  });
  print_json(out.text());
}

void print_as_text(const ExportArguments& arguments, const ExportSummary& summary) {
  std::string line = arguments.output + ":";
  for (size_t i = 0; i < summary.written.size(); ++i) {
    line += i == 0 ? " " : ", ";
    line += std::to_string(summary.written[i].count) + " " + summary.written[i].what;
  }
  print(line + "\n");
  for (const analysis::ExportCount& entry : summary.left_out)
    print("left out: " + std::to_string(entry.count) + " " + entry.what + "\n");
}

int print_summary(const ExportArguments& arguments, const ExportSummary& summary) {
  if (arguments.json) {
    print_as_json(arguments, summary);
  } else {
    print_as_text(arguments, summary);
  }
  for (const std::string& note : summary.notes) complain(note);
  return kOk;
}

// `shares`: null when everything is done here.
int convert(const ExportArguments& arguments, NodeShares* shares) {
  analysis::LoadOptions load;
  load.threads = arguments.threads;
  load.own_clocks = arguments.no_correct;
  if (shares != nullptr) load.parts = shares->parts();
  auto selection = arguments.selection.selection();
  if (!selection.ok()) return bad_usage(selection.message());
  std::string directory = arguments.directory;
  const Status captured = arguments.selection.take_capture(&directory, &selection.value());
  if (!captured.ok()) return bad_input(captured.message());
  load.selection = std::move(selection.value());
  const auto tables = load_with_progress(directory, load);
  if (!tables.ok()) return bad_input(tables.message());
  const Status logs = arguments.logs.read(arguments.directory, tables.value().get());
  if (!logs.ok()) return bad_input(logs.message());
  analysis::add_causes(tables.value().get());
  if (analysis::find_export_format(arguments.format)->of_tables)
    analysis::add_accounts(tables.value().get());
  const analysis::RunTables& run = *tables.value();
  Progress writing("writing");
  analysis::ExportOptions options;
  options.format = arguments.format;
  options.output = arguments.output;
  options.name = arguments.name;
  options.gzip = arguments.gzip;
  options.if_exists = arguments.force ? IfExists::Replace : IfExists::Refuse;
  options.threads = arguments.threads;
  options.progress = writing.callback();
  if (shares != nullptr) options.details = shares->parts();
  ExportSummary summary;
  summary.notes = table_notes(run);
  const analysis::ExportInput input = analysis::export_input(directory, run);
  const Status done = analysis::export_run(input, options, &summary);
  return done.ok() ? with_damage(print_summary(arguments, summary), run.damage)
                   : bad_input(done.message());
}

int run(const ExportArguments& arguments) {
  const analysis::ExportFormat* format = analysis::find_export_format(arguments.format);
  if (format == nullptr) {
    return bad_usage("there is no format '" + arguments.format +
                     "'; `lockstep export --help` lists them");
  }
  if (!arguments.name.empty()) {
    if (!format->per_process)
      return bad_usage("--name is for formats with a file per process; " + arguments.format +
                       " has none");
    if (arguments.name.find('/') != std::string::npos)
      return bad_usage("--name " + arguments.name + ": a file name, not a path");
  }
  if (arguments.gzip && !format->per_process)
    return bad_usage("--gzip is for formats with a file per process; give the file of " +
                     arguments.format + " a name that ends in .gz, where it can be compressed");
  const Status logs_usage = arguments.logs.check();
  if (!logs_usage.ok()) return bad_usage(logs_usage.message());
  if (!arguments.srun) return convert(arguments, nullptr);
  if (arguments.selection.given()) return bad_usage("--srun converts whole runs only");
  if (format->write_host == nullptr)
    return bad_usage("--srun writes csv and parquet; " + arguments.format + " is one node's work");
  auto shares = NodeShares::create(arguments.directory, arguments.output);
  if (!shares.ok()) return bad_usage(shares.message());
  Status done = shares.value()->processes();
  if (done.ok()) done = shares.value()->details(arguments.format);
  return done.ok() ? convert(arguments, shares.value().get()) : bad_input(done.message());
}

}  // namespace

void add_export(base::Command& lockstep) {
  const auto arguments = std::make_shared<ExportArguments>();
  base::Command command = add_run_command(
      lockstep, "export", "Convert a run for Perfetto, PyTorch's tools, SQL engines and others",
      arguments, run);
  command.option("--to", &arguments->format, formats_help()).required().shown_as("FORMAT");
  command.option("-o,--output", &arguments->output, "File or directory to write")
      .required()
      .shown_as("PATH");
  command
      .option("--name", &arguments->name,
              "Name of each file, where a format has one per process: %r is the rank, %h the host, "
              "%p the process id")
      .shown_as("NAME");
  command.flag("--gzip", &arguments->gzip,
               "Compress each file, where a format has one per process; others are compressed "
               "when PATH ends in .gz");
  arguments->logs.add_to(&command);
  arguments->selection.add_to(&command, "--until");
  command.flag("--no-correct", &arguments->no_correct,
               "Leave each host's times on its own clock, as if `lockstep align` had not run");
  command.flag("--force", &arguments->force, "Replace PATH; a directory only if an export made it");
  command.option("--threads", &arguments->threads, "Threads to use; 0: one per processor");
  command.flag("--srun", &arguments->srun,
               "In a SLURM job: convert on all its nodes and merge the result here");
}

}  // namespace lockstep::cli
