#include "analysis/load/run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "analysis/join/part_file.h"
#include "analysis/join/process_load.h"
#include "analysis/load/captures.h"
#include "base/parallel.h"
#include "dumper/run/living_memory.h"

namespace lockstep::analysis {
namespace {

// Takes one of about so many processes.
using TakeProcess = std::function<void(std::unique_ptr<LoadedProcess> process, size_t processes)>;

// Calls load(i) for each process with several threads, and take() with what that gives: by one thread at a time, and in
// their order.
template <class Load>
void load_all(size_t count, const LoadOptions& options, const Load& load, const TakeProcess& take) {
  std::vector<std::unique_ptr<LoadedProcess>> loaded(count);
  size_t done = 0, taken = 0;
  std::mutex mutex;  // guards these, and calls of others
  in_parallel(count, options.threads, [&](size_t i) {
    std::unique_ptr<LoadedProcess> process = load(i);
    const std::lock_guard<std::mutex> lock(mutex);
    loaded[i] = std::move(process);
    while (taken < count && loaded[taken] != nullptr) take(std::move(loaded[taken++]), count);
    const double share = static_cast<double>(++done) / static_cast<double>(count);
    if (options.progress) options.progress(share);
  });
}

// In the order in which RunDirectory has them.
Status take_parts(const LoadOptions& options, const TakeProcess& take) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(options.parts, error)) {
    if (entry.path().extension() == kPartSuffix) paths.push_back(entry.path().string());
  }
  if (error) return Status::error(options.parts + ": " + error.message());
  Status failure;
  std::mutex mutex;  // guards failure
  std::vector<std::unique_ptr<LoadedProcess>> loaded;
  const auto read = [&](size_t i) {
    auto part = read_part(paths[i], options.part_rows);
    if (part.ok()) return std::move(part.value());
    const std::lock_guard<std::mutex> lock(mutex);
    failure = part.status();
    return std::unique_ptr<LoadedProcess>();
  };
  load_all(paths.size(), options, read,
           [&](auto process, size_t /*processes*/) { loaded.push_back(std::move(process)); });
  if (!failure.ok()) return failure;
  const auto key = [](const LoadedProcess& process) {
    return std::make_tuple(process.strings.text(process.row.host), process.row.pid,
                           process.row.uid);
  };
  std::sort(loaded.begin(), loaded.end(),
            [&](const auto& a, const auto& b) { return key(*a) < key(*b); });
  for (auto& process : loaded) take(std::move(process), loaded.size());
  return Status();
}

using Memories = std::map<uint64_t, const dumper::LivingMemory*>;  // by process

// What processes hold that have no segment yet makes them processes of the run.
Memories add_living(const std::vector<std::unique_ptr<dumper::LivingMemory>>& living,
                    dumper::RunDirectory* run) {
  Memories memories;
  for (const auto& one : living) {
    memories[one->process_uid()] = one.get();
    const bool known = std::any_of(
        run->processes.begin(), run->processes.end(),
        [&](const dumper::ProcessEntry& entry) { return entry.uid == one->process_uid(); });
    if (!known) run->processes.push_back(one->entry());
  }
  return memories;
}

const dumper::LivingMemory* memory_of(const dumper::ProcessEntry& entry, const Memories& memories) {
  const auto found = memories.find(entry.uid);
  return found == memories.end() ? nullptr : found->second;
}

ProcessTerms terms_of(const dumper::ProcessEntry& entry, const Memories& memories,
                      const LoadOptions& options, JoinMemory* joins) {
  return {memory_of(entry, memories),
          options.places == nullptr ? nullptr : options.places->of(entry.uid),
          options.gpu_clocks,
          options.brief ? joins : nullptr,
          options.about,
          options.context_ns};
}

void take_all_of(const dumper::RunDirectory& opened, const Memories& memories,
                 const LoadOptions& options, const TakeProcess& take) {
  const auto& entries = opened.processes;
  JoinMemory joins;
  bool first = true;
  load_all(
      entries.size(), options,
      [&](size_t i) {
        return load_process(entries[i], terms_of(entries[i], memories, options, &joins));
      },
      [&](auto process, size_t processes) {
        if (std::exchange(first, false)) add_directory_notes(opened, process.get());
        take(std::move(process), processes);
      });
}

Status take_part_of(dumper::RunDirectory* opened, const Memories& memories,
                    const LoadOptions& options, const TakeProcess& take) {
  const dumper::Selection& selection = options.selection;
  const auto spans = dumper::select(selection, opened);
  if (!spans.ok()) return spans.status();
  const auto& entries = opened->processes;
  JoinMemory joins;
  bool none = true;
  load_all(
      entries.size(), options,
      [&](size_t i) {
        return load_process(entries[i], spans.value()[i], selection,
                            terms_of(entries[i], memories, options, &joins));
      },
      [&](auto process, size_t processes) {
        // Of one whose rank could not be told before.
        if (process->row.rank >= 0 && !selection.wants_rank(process->row.rank)) return;
        if (std::exchange(none, false)) add_directory_notes(*opened, process.get());
        take(std::move(process), processes);
      });
  return none ? Status::error(opened->path + ": no process of these ranks") : Status();
}

Status take_run(const std::string& directory, const LoadOptions& options, const TakeProcess& take) {
  if (!options.parts.empty()) return take_parts(options, take);
  // Memory first: what a process lets go of meanwhile is in its segments then.
  std::vector<std::unique_ptr<dumper::LivingMemory>> living;
  if (options.memory) living = dumper::read_living(directory);
  auto opened = dumper::RunDirectory::open(directory);
  if (!opened.ok() && living.empty()) return opened.status();
  dumper::RunDirectory run = opened.ok() ? std::move(opened.value()) : dumper::RunDirectory();
  run.path = directory;
  const Memories memories = add_living(living, &run);
  if (!options.selection.is_whole()) return take_part_of(&run, memories, options, take);
  take_all_of(run, memories, options, take);
  return Status();
}

template <typename Row>
Result<std::unique_ptr<RunTables>> load_rows(const std::string& directory,
                                             const LoadOptions& options) {
  NotedCaptures noted;
  Relating<Row> relating(options.over);
  const Status taken = take_run(directory, options, [&](auto process, size_t processes) {
    noted[process->row.uid] = std::move(process->captures);
    relating.add(std::move(process), processes);
  });
  if (!taken.ok()) return taken;
  auto run = relating.finish(options.own_clocks ? "" : directory);
  add_captures(directory, noted, run.get());
  return run;
}

}  // namespace

std::unique_ptr<RunTables> load_opened(const dumper::RunDirectory& opened,
                                       const LoadOptions& options) {
  Relating<OperationRow> relating;
  take_all_of(opened, {}, options,
              [&](auto process, size_t processes) { relating.add(std::move(process), processes); });
  return relating.finish("");
}

Result<std::unique_ptr<RunTables>> load_run(const std::string& directory,
                                            const LoadOptions& options) {
  return options.brief ? load_rows<BriefOperation>(directory, options)
                       : load_rows<OperationRow>(directory, options);
}

}  // namespace lockstep::analysis
