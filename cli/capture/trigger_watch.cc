#include "cli/capture/trigger_watch.h"

#include <time.h>

#include <algorithm>
#include <utility>

#include "analysis/load/run.h"
#include "live/asker/flush_job.h"

namespace lockstep::cli {
namespace {

// Of the recording that is read at each look: as long as looks are apart where they are slow.
constexpr int64_t kLeastBackNs = 5'000'000'000;

}  // namespace

TriggerWatch::TriggerWatch(std::string run, Trigger trigger)
    : run_(std::move(run)), trigger_(std::move(trigger)) {}

std::optional<std::string> TriggerWatch::look(const live::Targets& targets,
                                              const live::AskTerms& terms) {
  not_seen_ = live::flush_job(targets, terms).failed;
  analysis::LoadOptions load;
  load.selection.last_ns = kLeastBackNs + trigger_.longer_ns;
  const auto tables = analysis::load_run(run_, load);
  if (!tables.ok()) return std::nullopt;
  const analysis::RunTables& run = *tables.value();
  const int64_t after_ns = std::exchange(seen_until_ns_, std::max(seen_until_ns_, end_of(run)));
  return after_ns == 0 ? std::nullopt : fired(trigger_, run, after_ns);
}

void pause_ns(int64_t ns) {
  if (ns <= 0) return;
  const timespec time = {ns / 1'000'000'000, ns % 1'000'000'000};
  nanosleep(&time, nullptr);
}

}  // namespace lockstep::cli
