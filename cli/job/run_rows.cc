#include "cli/job/run_rows.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/clock/align.h"
#include "analysis/inspect/describe_run.h"
#include "base/json.h"
#include "base/url_encoded.h"
#include "cli/job/run_note.h"
#include "clocksync/record/clock_model_json.h"
#include "dumper/recovery/memory_files.h"
#include "dumper/run/run_files.h"
#include "live/http/service_note.h"

namespace lockstep::cli {
namespace {

// A run recorded without `lockstep run` has none.
void add_note(RunRow* row) {
  std::map<std::string, std::string> note = read_run_note(row->path);
  row->job = note["job"];
  row->command = note["command"];
  row->started = note["started"];
  row->ended = note["ended"];
  row->exit_code = note["exit_code"];
}

std::string clock_of(const std::string& path, size_t hosts) {
  if (hosts <= 1) return "one host";
  const auto model = clocksync::load_clock_model(path + "/" + clocksync::kClockModelFile);
  if (!model.ok()) return "not aligned";
  analysis::Grade worst = analysis::Grade::Good;
  for (const analysis::HostView& host : analysis::view_hosts(model.value()))
    worst = std::max(worst, host.graded.grade);
  return analysis::kGradeNames[static_cast<size_t>(worst)];
}

std::time_t written(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? facts.st_mtime : 0;
}

void add_processes(const analysis::RunSummary& run, RunRow* row) {
  std::set<std::string> hosts;
  row->state = "ended";
  for (const analysis::ProcessSummary& process : run.processes) {
    ++row->processes;
    row->bytes += process.bytes;
    row->lost += process.lost;
    if (row->state == "ended") row->state = process.state;
    row->running = row->running || process.state == "running";
    hosts.insert(process.entry.host);
    for (const dumper::CommFacts& comm : process.communicators)
      row->ranks = std::max<uint64_t>(row->ranks, comm.ranks);
    for (const auto& segment : process.entry.segments)
      row->written = std::max(row->written, written(segment.path));
  }
  row->clock = clock_of(row->path, hosts.size());
}

// A process that records and has written nothing yet has its memory file's entry there.
bool holds_memory_of_a_process(const std::string& path) {
  return !dumper::find_arenas(path).empty();
}

void put_headline(JsonFields& out, const serve::KeptHeadline& headline) {
  out.object("headline", [&] {
    out.string("kind", headline.kind);
    out.string("text", headline.text);
    if (headline.cost_share >= 0) out.number("cost_share", headline.cost_share);
    if (headline.last_part_only) out.boolean("last_part_only", true);
  });
}

void put(JsonFields& out, const RunRow& row) {
  out.object([&] {
    out.string("run", row.name);
    out.string("job", row.job);
    out.string("state", row.state);
    out.number("processes", row.processes);
    out.number("ranks", row.ranks);
    out.number("bytes", row.bytes);
    out.number("lost", row.lost);
    out.string("clock", row.clock);
    out.string("command", row.command);
    out.string("started", row.started);
    out.string("ended", row.ended);
    out.string("exit_code", row.exit_code);
    out.strings("urls", row.urls);
    if (row.headline) put_headline(out, *row.headline);
  });
}

}  // namespace

bool is_run_directory(const std::string& path) {
  return dumper::has_segments(path) || !read_run_note(path)["command"].empty() ||
         holds_memory_of_a_process(path);
}

Result<RunRow> run_row(const std::string& path) {
  std::error_code error;
  RunRow row;
  row.path = path;
  row.name = std::filesystem::absolute(path, error).lexically_normal().filename().string();
  add_note(&row);
  const std::string real = dumper::real_path(path);
  for (const serve::ServiceNote& note : serve::services_of(real)) row.urls.push_back(note.url);
  for (const serve::ServiceNote& note : serve::services_of(dumper::parent_of(real)))
    row.urls.push_back(note.url + "runs/" + url_encoded(row.name) + "/");
  row.headline = serve::kept_headline(real);
  const auto run = analysis::describe_run(path);
  if (run.ok()) {
    add_processes(run.value(), &row);
    return row;
  }
  const bool segments = dumper::has_segments(path);
  row.running = holds_memory_of_a_process(path);
  if (!segments && row.command.empty() && !row.running) return run.status();
  row.state = segments ? "unreadable" : "nothing recorded";
  row.written = written(path + "/run.json");
  return row;
}

Result<std::vector<RunRow>> run_rows(const std::string& parent) {
  std::error_code error;
  std::vector<RunRow> rows;
  for (const auto& entry : std::filesystem::directory_iterator(parent, error)) {
    if (!entry.is_directory() || dumper::is_host_directory(entry.path().string())) continue;
    auto row = run_row(entry.path().string());
    if (row.ok()) rows.push_back(std::move(row.value()));
  }
  if (error) return Status::error(parent + ": cannot read the directory: " + error.message());
  std::sort(rows.begin(), rows.end(),
            [](const RunRow& a, const RunRow& b) { return a.name < b.name; });
  return rows;
}

std::string run_json(const RunRow& row) {
  JsonFields out;
  put(out, row);
  return std::string(out.text());
}

std::string runs_json(const std::vector<RunRow>& rows) {
  JsonFields out;
  out.writer().StartArray();
  for (const RunRow& row : rows) put(out, row);
  out.writer().EndArray();
  return std::string(out.text());
}

}  // namespace lockstep::cli
