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

// To the processes of the run, which are those of the directory in the same order.
Status apply(const std::string& directory, const dumper::Selection& selection, lockstep_run* run) {
  if (selection.is_whole()) return Status();
  auto opened = dumper::RunDirectory::open(directory);
  if (!opened.ok()) return opened.status();
  dumper::RunDirectory& chosen = opened.value();
  std::vector<uint64_t> uids;
  for (const dumper::ProcessEntry& process : chosen.processes) uids.push_back(process.uid);
  const auto spans = dumper::select(selection, &chosen);
  if (!spans.ok()) return spans.status();
  for (size_t i = 0, next = 0; i < uids.size() && i < lockstep_process_count(run); ++i) {
    dumper::RawSpan span{1, 1};  // of a process that is left out
    if (next < chosen.processes.size() && chosen.processes[next].uid == uids[i])
      span = spans.value()[next++];
    lockstep_select_time(run, i, span.from_ns, span.to_ns);
  }
  return Status();
}

bool wanted(const lockstep_record& record, const CatOptions& options) {
  const char* name = record.comm_name == nullptr ? "" : record.comm_name;
  return (options.kind < 0 || record.kind == options.kind) &&
         options.selection.wants_comm(record.comm_id, name) &&
         (options.rank < 0 || record.rank == options.rank);
}

}  // namespace

Result<std::vector<std::string>> cat_run(const std::string& directory, const CatOptions& options,
                                         const std::function<bool(const std::string&)>& write) {
  const auto run = open_run(directory);
  if (!run.ok()) return run.status();
  const Status selected = apply(directory, options.selection, run.value().get());
  if (!selected.ok()) return selected;
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
