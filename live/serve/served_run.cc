#include "live/serve/served_run.h"

#include <algorithm>
#include <cstdio>

#include "analysis/account/accounts.h"
#include "analysis/judge/blame.h"
#include "analysis/judge/judge.h"
#include "analysis/report/report.h"
#include "analysis/report/report_json.h"
#include "analysis/why/explain.h"
#include "base/json.h"

namespace lockstep::serve {
namespace {

std::string report_of(const std::string& directory, analysis::RunTables* tables) {
  analysis::Judgement judgement = analysis::judge(*tables);
  analysis::explain(directory, *tables, &judgement);
  analysis::add_accounts(tables);
  const analysis::Report report =
      analysis::make_report(*tables, judgement, "lockstep: " + directory);
  JsonFields out;
  out.object([&] {
    out.string("output", directory);
    analysis::put_report(report, nullptr, &out);
  });
  return std::string(out.text());
}

// What follows from the tables of a part.
void complete(const std::string& directory, RunPart* part) {
  analysis::RunTables& tables = *part->tables;
  analysis::add_causes(&tables);
  part->input = analysis::export_input(directory, tables);
  part->activity = analysis::activity_of(tables, part->time());
  part->arrivals.assign(tables.operations.size(), analysis::kNoRow);
  for (uint32_t i = 0; i < tables.arrivals.size(); ++i) {
    const uint32_t operation = tables.arrivals[i].operation;
    if (operation < part->arrivals.size()) part->arrivals[operation] = i;
  }
}

// A part is read with an eighth before and behind, where ranks wait across its ends.
analysis::LoadOptions options_for(int64_t from_ns, int64_t to_ns) {
  using Since = dumper::Instant::Since;
  const int64_t margin_ns = (to_ns - from_ns) / 8;
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
                                                   const analysis::RunExtent& extent,
                                                   const ServeOptions& options) {
  std::unique_ptr<ServedRun> run(new ServedRun);
  run->directory_ = directory;
  run->extent_ = extent;
  run->most_table_bytes_ = options.most_table_bytes;
  run->whole_ = extent.table_bytes <= options.most_table_bytes;
  analysis::PyramidOptions pyramid;
  pyramid.most_table_bytes = options.most_table_bytes;
  pyramid.progress = options.progress;
  analysis::PyramidNotes notes;
  auto stored = analysis::load_or_build_pyramid(directory, extent, options.place, pyramid, &notes);
  if (!stored.ok()) return stored.status();
  run->unwritten_ = notes.unwritten;
  run->stored_ = std::make_unique<analysis::StoredPyramid>(std::move(stored.value()));
  const Status read = run->read_main(options);
  if (!read.ok()) return read;
  return run;
}

Status ServedRun::read_main(const ServeOptions& options) {
  auto part = std::make_shared<RunPart>();
  part->to_ns = pyramid().length_ns() + 1;
  part->origin_ns = stored_->origin_ns;
  analysis::LoadOptions load;
  if (whole_) {
    load.memory = true;
    load.progress = options.progress;
  } else {
    const double share = static_cast<double>(most_table_bytes_) / 2 /
                         static_cast<double>(std::max<uint64_t>(extent_.table_bytes, 1));
    const auto last_ns = static_cast<int64_t>(share * static_cast<double>(extent_.length_ns));
    part->from_ns = std::max<int64_t>(0, part->to_ns - last_ns);
    load.selection.last_ns = std::max<int64_t>(1, last_ns);
  }
  auto tables = analysis::load_run(directory_, load);
  if (!tables.ok()) return tables.status();
  part->tables = std::move(tables.value());
  report_ = report_of(directory_, part->tables.get());
  complete(directory_, part.get());
  const auto& processes = part->tables->processes;
  running_ = std::any_of(processes.begin(), processes.end(),
                         [](const auto& process) { return analysis::still_runs(process.life); });
  main_ = std::move(part);
  return Status();
}

Result<RunPartPointer> ServedRun::part(int64_t from_ns, int64_t to_ns) const {
  const auto holds = [&](const RunPartPointer& part) {
    return part != nullptr && part->from_ns <= from_ns && part->to_ns >= to_ns;
  };
  if (whole_ || holds(main_)) return main_;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (holds(recent_)) return recent_;
  from_ns = std::max<int64_t>(0, from_ns);
  to_ns = std::min(pyramid().length_ns() + 1, to_ns);
  const double most_ns = static_cast<double>(most_table_bytes_) / 2 /
                         static_cast<double>(extent_.table_bytes) *
                         static_cast<double>(extent_.length_ns);
  if (static_cast<double>(to_ns - from_ns) > most_ns)
    return Status::error("of this run no more than " + seconds(most_ns / 1e9) +
                         " can be read at a time; ask for a shorter time");
  recent_.reset();
  auto part = std::make_shared<RunPart>();
  auto tables = analysis::load_run(directory_, options_for(from_ns, to_ns));
  if (!tables.ok()) return tables.status();
  part->from_ns = from_ns;
  part->to_ns = to_ns;
  part->origin_ns = stored_->origin_ns;
  part->tables = std::move(tables.value());
  complete(directory_, part.get());
  recent_ = part;
  return recent_;
}

}  // namespace lockstep::serve
