#include "live/serve/served_run.h"

#include <algorithm>

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
  analysis::add_causes(tables);
  const analysis::Report report =
      analysis::make_report(*tables, judgement, "lockstep: " + directory);
  JsonFields out;
  out.object([&] {
    out.string("output", directory);
    analysis::put_report(report, nullptr, &out);
  });
  return std::string(out.text());
}

}  // namespace

Result<std::unique_ptr<ServedRun>> open_run(const std::string& directory,
                                            const analysis::LoadOptions& options) {
  auto tables = analysis::load_run(directory, options);
  if (!tables.ok()) return tables.status();
  auto run = std::make_unique<ServedRun>();
  run->directory = directory;
  run->tables = std::move(tables.value());
  run->report = report_of(directory, run->tables.get());
  run->input = analysis::export_input(directory, *run->tables);
  const analysis::RunTime time(*run->tables);
  run->origin_ns = time.origin_ns();
  run->activity = analysis::activity_of(*run->tables, time);
  const int finest = analysis::finest_level(run->tables->operations.size(),
                                            run->activity.lanes.size(), run->activity.length_ns);
  run->pyramid = std::make_unique<analysis::Pyramid>(analysis::Pyramid::of(run->activity, finest));
  run->arrivals.assign(run->tables->operations.size(), analysis::kNoRow);
  for (uint32_t i = 0; i < run->tables->arrivals.size(); ++i) {
    const uint32_t operation = run->tables->arrivals[i].operation;
    if (operation < run->arrivals.size()) run->arrivals[operation] = i;
  }
  run->running = std::any_of(
      run->tables->processes.begin(), run->tables->processes.end(),
      [](const analysis::ProcessRow& process) { return analysis::still_runs(process.life); });
  return run;
}

}  // namespace lockstep::serve
