#include "analysis/inspect/cat_run.h"

#include <memory>

#include "analysis/inspect/record_json.h"
#include "lockstep/read.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kWriteBytes = 1 << 16;

struct Closer {
  void operator()(lockstep_run* run) const { lockstep_close(run); }
  void operator()(lockstep_records* records) const { lockstep_close_records(records); }
};

Result<std::unique_ptr<lockstep_run, Closer>> open_run(const std::string& directory) {
  lockstep_run* run = nullptr;
  if (lockstep_open(directory.c_str(), &run) != LOCKSTEP_OK) return Status::error(lockstep_error());
  return std::unique_ptr<lockstep_run, Closer>(run);
}

bool wanted(const lockstep_record& record, const CatOptions& options) {
  return (options.kind < 0 || record.kind == options.kind) &&
         (options.rank < 0 || record.rank == options.rank);
}

}  // namespace

Result<std::vector<std::string>> cat_run(const std::string& directory, const CatOptions& options,
                                         const std::function<bool(const std::string&)>& write) {
  const auto run = open_run(directory);
  if (!run.ok()) return run.status();
  lockstep_records* begun = nullptr;
  if (lockstep_read_records(run.value().get(), LOCKSTEP_ALL_PROCESSES, &begun) != LOCKSTEP_OK)
    return Status::error(lockstep_error());
  const std::unique_ptr<lockstep_records, Closer> records(begun);
  std::string lines;
  uint64_t written = 0;
  const lockstep_record* record = nullptr;
  lockstep_status status = LOCKSTEP_OK;
  while (options.limit == 0 || written < options.limit) {
    status = lockstep_next(begun, &record);
    if (status != LOCKSTEP_OK) break;
    if (wanted(*record, options)) {
      append_record_json(*record, *lockstep_process_at(run.value().get(), record->process), &lines);
      lines += '\n';
      ++written;
    }
    if (lines.size() < kWriteBytes) continue;
    const bool wants_more = write(lines);
    lines.clear();
    if (!wants_more) break;
  }
  if (!lines.empty()) write(lines);
  if (status != LOCKSTEP_OK && status != LOCKSTEP_END) return Status::error(lockstep_error());
  std::vector<std::string> damage;
  for (size_t i = 0, count = lockstep_damage_count(begun); i < count; ++i)
    damage.emplace_back(lockstep_damage_at(begun, i)->sentence);
  return damage;
}

}  // namespace lockstep::analysis
