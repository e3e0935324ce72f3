// `lockstep runs list PARENT`: the runs under a folder, one line each.
#include <rapidjson/document.h>
#include <rapidjson/istreamwrapper.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "analysis/describe_run.h"
#include "cli/commands.h"
#include "cli/output.h"

namespace lockstep::cli {
namespace {

struct Arguments {
  std::string parent = ".";
  bool json = false;
};

struct Row {
  std::string name, job, state;
  uint64_t processes = 0, bytes = 0, lost = 0;
};

// run.json is `lockstep run`'s; a run recorded without it has none.
std::string job_of(const std::filesystem::path& run) {
  std::ifstream file(run / "run.json");
  rapidjson::IStreamWrapper stream(file);
  rapidjson::Document note;
  note.ParseStream<rapidjson::kParseIterativeFlag>(stream);
  if (note.HasParseError() || !note.IsObject()) return "";
  const auto job = note.FindMember("job");
  return job != note.MemberEnd() && job->value.IsString() ? job->value.GetString() : "";
}

// Ended when all processes are; else the first other state.
Row row_of(const std::filesystem::path& path, const analysis::RunSummary& run) {
  Row row{path.filename().string(), job_of(path), "ended"};
  for (const analysis::ProcessSummary& process : run.processes) {
    ++row.processes;
    row.bytes += process.bytes;
    row.lost += process.lost;
    if (row.state == "ended") row.state = process.state;
  }
  return row;
}

Result<std::vector<Row>> rows_of(const std::string& parent) {
  std::error_code error;
  std::vector<Row> rows;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    if (!entry.is_directory()) continue;
    const auto run = analysis::describe_run(entry.path().string());
    if (run.ok() && !run.value().processes.empty())
      rows.push_back(row_of(entry.path(), run.value()));
  }
  if (error) return Status::error(parent + ": cannot read the directory: " + error.message());
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.name < b.name; });
  return rows;
}

void print_as_json(const std::vector<Row>& rows) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> out(text);
  out.StartArray();
  for (const Row& row : rows) {
    out.StartObject();
    out.Key("run");
    out.String(row.name.c_str());
    out.Key("job");
    out.String(row.job.c_str());
    out.Key("state");
    out.String(row.state.c_str());
    out.Key("processes");
    out.Uint64(row.processes);
    out.Key("bytes");
    out.Uint64(row.bytes);
    out.Key("lost");
    out.Uint64(row.lost);
    out.EndObject();
  }
  out.EndArray();
  print_json({text.GetString(), text.GetSize()});
}

int list(const Arguments& arguments) {
  const auto rows = rows_of(arguments.parent);
  if (!rows.ok()) return bad_input(rows.message());
  if (arguments.json) {
    print_as_json(rows.value());
    return kOk;
  }
  Table table({{"run"},
               {"job"},
               {"state"},
               {"processes", Align::Right},
               {"bytes", Align::Right},
               {"lost", Align::Right}});
  for (const Row& row : rows.value()) {
    table.add({row.name, row.job, row.state, std::to_string(row.processes),
               std::to_string(row.bytes), std::to_string(row.lost)});
  }
  print(table.text());
  return kOk;
}

}  // namespace

void add_runs(CLI::App& app, int& exit_code) {
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* runs = app.add_subcommand("runs", "The runs under a folder");
  runs->require_subcommand(1);
  CLI::App* command = add_command(*runs, exit_code, "list", "One line for each run",
                                  [arguments] { return list(*arguments); });
  command->add_option("PARENT", arguments->parent, "The folder; default: the current one");
  command->add_flag("--json", arguments->json, "Print a JSON array");
}

}  // namespace lockstep::cli
