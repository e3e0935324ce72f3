#include "cli/job/run_rows.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "analysis/clock/align.h"
#include "analysis/inspect/describe_run.h"
#include "cli/job/run_note.h"
#include "dumper/run/run_files.h"

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
  const auto model = clocksync::ClockModel::load(path + "/" + clocksync::kClockModelFile);
  if (!model.ok()) return "not aligned";
  analysis::Grade worst = analysis::Grade::Good;
  for (const analysis::HostView& host : analysis::view_hosts(model.value()))
    worst = std::max(worst, host.graded.grade);
  return analysis::kGradeNames[static_cast<size_t>(worst)];
}

}  // namespace

Result<RunRow> run_row(const std::string& path) {
  const auto run = analysis::describe_run(path);
  if (!run.ok()) return run.status();
  std::error_code error;
  RunRow row;
  row.path = path;
  row.name = std::filesystem::absolute(path, error).lexically_normal().filename().string();
  row.state = "ended";
  std::set<std::string> hosts;
  for (const analysis::ProcessSummary& process : run.value().processes) {
    ++row.processes;
    row.bytes += process.bytes;
    row.lost += process.lost;
    if (row.state == "ended") row.state = process.state;
    row.running = row.running || process.state == "running";
    hosts.insert(process.entry.host);
    for (const dumper::CommFacts& comm : process.communicators)
      row.ranks = std::max<uint64_t>(row.ranks, comm.ranks);
    for (const auto& segment : process.entry.segments) {
      struct stat facts {};
      if (stat(segment.path.c_str(), &facts) == 0)
        row.written = std::max(row.written, facts.st_mtime);
    }
  }
  row.clock = clock_of(path, hosts.size());
  add_note(&row);
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

}  // namespace lockstep::cli
