#include "live/follow/served_run.h"

#include <algorithm>
#include <cstdio>

#include "analysis/account/accounts.h"
#include "analysis/hostload/host_pressure.h"
#include "analysis/judge/blame.h"
#include "analysis/judge/judge.h"
#include "analysis/logs/read_logs.h"
#include "analysis/report/report.h"
#include "analysis/report/report_json.h"
#include "analysis/why/explain.h"
#include "base/json.h"

namespace lockstep::serve {
namespace {

// Of tables with accounts.
analysis::Report report_of(const std::string& directory, const analysis::RunTables& tables) {
  analysis::Judgement judgement = analysis::judge(tables);
  analysis::explain(directory, tables, &judgement);
  analysis::Report report = analysis::make_report(tables, judgement, "lockstep: " + directory);
  report.found_live = analysis::kept_findings(directory);
  return report;
}

std::string json_of(const std::string& directory, const analysis::Report& report) {
  JsonFields out;
  out.object([&] {
    out.string("output", directory);
    analysis::put_report(report, nullptr, &out);
  });
  return std::string(out.text());
}

RunSummary summary_of(const std::string& directory, const RunPart& part) {
  const analysis::RunTables& tables = *part.tables;
  RunSummary summary;
  const analysis::Report report = report_of(directory, tables);
  summary.report = json_of(directory, report);
  // The report counts from the first record that its tables have.
  summary.from_ns = analysis::RunTime(tables).origin_ns() - part.origin_ns;
  summary.headline = headline_of(report, summary.from_ns != 0);
  summary.origin_unix_ns = part.time().origin_unix_ns();
  summary.one_clock = tables.aligned;
  summary.running =
      std::any_of(tables.processes.begin(), tables.processes.end(),
                  [](const auto& process) { return analysis::still_runs(process.life); });
  summary.damage = tables.damage;
  summary.dimensions = analysis::dimensions_of(tables);
  return summary;
}

// What follows from the tables of a part.
void complete(const std::string& directory, RunPart* part) {
  analysis::RunTables& tables = *part->tables;
  analysis::add_causes(&tables);
  part->input = analysis::export_input(directory, tables);
  part->arrivals.assign(tables.operations.size(), analysis::kNoRow);
  for (uint32_t i = 0; i < tables.arrivals.size(); ++i) {
    const uint32_t operation = tables.arrivals[i].operation;
    if (operation < part->arrivals.size()) part->arrivals[operation] = i;
  }
}

// A part is read with some of what lies before and behind it, where ranks wait across its ends.
constexpr int64_t kPartMarginNs = 10'000'000'000;
// Of a run that would be read whole, less than such a share is read by itself: a look at an instant, not at it all.
constexpr int64_t kSmallPart = 4;

int64_t margin_of(int64_t from_ns, int64_t to_ns) {
  return std::max((to_ns - from_ns) / 8, kPartMarginNs);
}

analysis::LoadOptions options_for(int64_t from_ns, int64_t to_ns) {
  using Since = dumper::Instant::Since;
  const int64_t margin_ns = margin_of(from_ns, to_ns);
  analysis::LoadOptions options;
  options.selection.from = {Since::RunStart, std::max<int64_t>(0, from_ns - margin_ns)};
  options.selection.to = {Since::RunStart, to_ns + margin_ns};
  return options;
}

std::string seconds(double number) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.3g s", number);
  return text;
}

}  // namespace

Result<std::unique_ptr<ServedRun>> ServedRun::open(const std::string& directory,
                                                   const ServeOptions& options) {
  std::unique_ptr<ServedRun> run(new ServedRun);
  run->directory_ = directory;
  run->perfetto_ui_ = options.perfetto_ui;
  run->most_table_bytes_ = options.most_table_bytes;
  analysis::PyramidOptions pyramid;
  pyramid.most_table_bytes = options.most_table_bytes;
  pyramid.progress = options.progress;
  pyramid.goes_on = options.goes_on;
  pyramid.estimate = options.estimate;
  analysis::PyramidNotes notes;
  auto stored = analysis::load_or_build_pyramid(directory, options.place, pyramid, &notes);
  if (!stored.ok()) return stored.status();
  run->unwritten_ = notes.unwritten;
  run->stored_ = std::make_unique<analysis::StoredPyramid>(std::move(stored.value()));
  const analysis::RunExtent& extent = run->stored_->extent;
  run->whole_ = extent.table_bytes <= options.most_table_bytes;
  if (!run->whole_) run->main_from_ns_ = std::max<int64_t>(0, run->end_ns() - run->most_ns());
  const Status summarized = run->summarize(options, std::move(notes.whole));
  if (!summarized.ok()) return summarized;
  return run;
}

int64_t ServedRun::most_ns() const {
  const analysis::RunExtent& extent = stored_->extent;
  const double share = static_cast<double>(most_table_bytes_) / 2 /
                       static_cast<double>(std::max<uint64_t>(extent.table_bytes, 1));
  return std::max<int64_t>(1, static_cast<int64_t>(share * static_cast<double>(extent.length_ns)));
}

Status ServedRun::summarize(const ServeOptions& options, analysis::WholeRun whole) {
  const std::string key = summary_key(directory_, main_from_ns_);
  auto kept = read_summary(options.place, key);
  if (kept.ok() && !options.goes_on) {
    summary_ = std::move(kept.value());
    return Status();
  }
  auto main = read_main(options.progress, std::move(whole), &summary_);
  if (!main.ok()) return main.status();
  main_ = std::move(main.value());
  summary_.running = summary_.running || options.goes_on;
  if (summary_.running) return Status();
  keep_headline(directory_, summary_.headline);
  const Status written = write_summary(options.place, key, summary_);
  if (!written.ok() && unwritten_.empty()) unwritten_ = written.message();
  return Status();
}

Result<RunPartPointer> ServedRun::read_main(const std::function<void(double)>& progress,
                                            analysis::WholeRun whole, RunSummary* summary) const {
  auto part = std::make_shared<RunPart>();
  part->from_ns = main_from_ns_;
  part->to_ns = end_ns();
  part->origin_ns = stored_->origin_ns;
  if (whole_ && whole.tables != nullptr) {
    part->tables = std::move(whole.tables);
    part->activity = std::move(whole.activity);
  } else {
    analysis::LoadOptions load;
    load.progress = progress;
    if (whole_) {
      load.memory = true;
    } else {
      load.selection.last_ns = most_ns();
    }
    auto tables = analysis::load_run(directory_, load);
    if (!tables.ok()) return tables.status();
    part->tables = std::move(tables.value());
    part->activity = analysis::activity_of(*part->tables, part->time());
  }
  analysis::add_accounts(part->tables.get());
  analysis::add_own_logs(directory_, analysis::kLogMarginNs, part->tables.get());
  if (summary != nullptr) {
    // The hosts' files are read for all of the run or not at all.
    if (whole_) analysis::add_host_pressure(directory_, part->tables.get());
    *summary = summary_of(directory_, *part);
  }
  complete(directory_, part.get());
  return RunPartPointer(std::move(part));
}

Result<RunPartPointer> ServedRun::main_part_locked() const {
  if (main_ != nullptr) return main_;
  auto read = read_main({}, {}, nullptr);
  if (read.ok()) main_ = read.value();
  return read;
}

Result<RunPartPointer> ServedRun::main_part() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return main_part_locked();
}

Result<RunPartPointer> ServedRun::part(int64_t from_ns, int64_t to_ns) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const bool small =
      main_ == nullptr && (to_ns - from_ns + 2 * margin_of(from_ns, to_ns)) * kSmallPart < end_ns();
  const bool in_main = whole_ || (from_ns >= main_from_ns_ && to_ns <= end_ns());
  if (in_main && !small) return main_part_locked();
  if (recent_ != nullptr && recent_->from_ns <= from_ns && recent_->to_ns >= to_ns) return recent_;
  from_ns = std::max<int64_t>(0, from_ns);
  to_ns = std::min(end_ns(), to_ns);
  if (!whole_ && to_ns - from_ns > most_ns())
    return Status::error("of this run no more than " +
                         seconds(static_cast<double>(most_ns()) / 1e9) +
                         " can be read at a time; ask for a shorter time");
  recent_.reset();
  auto part = std::make_shared<RunPart>();
  auto tables = analysis::load_run(directory_, options_for(from_ns, to_ns));
  if (!tables.ok()) return tables.status();
  part->from_ns = from_ns;
  part->to_ns = to_ns;
  part->origin_ns = stored_->origin_ns;
  part->tables = std::move(tables.value());
  part->activity = analysis::activity_of(*part->tables, part->time());
  complete(directory_, part.get());
  recent_ = part;
  return recent_;
}

}  // namespace lockstep::serve
