#include "analysis/load/run.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <mutex>
#include <tuple>

#include "analysis/join/part_file.h"
#include "analysis/join/process_load.h"
#include "analysis/load/captures.h"
#include "base/parallel.h"
#include "dumper/run/living_memory.h"

namespace lockstep::analysis {
namespace {

// Calls load(i) for each process with several threads; results keep their order.
template <class Load>
ReadRun load_all(size_t count, const LoadOptions& options, const Load& load) {
  ReadRun loaded(count);
  size_t done = 0;
  std::mutex progress_mutex;  // guards `done`
  in_parallel(count, options.threads, [&](size_t i) {
    loaded[i] = load(i);
    const std::lock_guard<std::mutex> lock(progress_mutex);
    const double share = static_cast<double>(++done) / static_cast<double>(count);
    if (options.progress) options.progress(share);
  });
  return loaded;
}

// In the order in which RunDirectory has them.
Result<ReadRun> from_parts(const LoadOptions& options) {
  std::vector<std::string> paths;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(options.parts, error)) {
    if (entry.path().extension() == kPartSuffix) paths.push_back(entry.path().string());
  }
  if (error) return Status::error(options.parts + ": " + error.message());
  Status failure;
  std::mutex mutex;  // guards failure
  ReadRun loaded = load_all(paths.size(), options, [&](size_t i) {
    auto part = read_part(paths[i], options.part_rows);
    if (part.ok()) return std::move(part.value());
    const std::lock_guard<std::mutex> lock(mutex);
    failure = part.status();
    return std::unique_ptr<LoadedProcess>();
  });
  if (!failure.ok()) return failure;
  const auto key = [](const LoadedProcess& process) {
    return std::make_tuple(process.strings.text(process.row.host), process.row.pid,
                           process.row.uid);
  };
  std::sort(loaded.begin(), loaded.end(),
            [&](const auto& a, const auto& b) { return key(*a) < key(*b); });
  return loaded;
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
          options.places == nullptr ? nullptr : options.places->of(entry.uid), options.gpu_clocks,
          options.brief ? joins : nullptr, options.about};
}

ReadRun read_all_of(const dumper::RunDirectory& opened, const Memories& memories,
                    const LoadOptions& options) {
  const auto& entries = opened.processes;
  JoinMemory joins;
  ReadRun read = load_all(entries.size(), options, [&](size_t i) {
    return load_process(entries[i], terms_of(entries[i], memories, options, &joins));
  });
  add_directory_notes(opened, read.front().get());
  return read;
}

Result<ReadRun> read_part_of(dumper::RunDirectory* opened, const Memories& memories,
                             const LoadOptions& options) {
  const dumper::Selection& selection = options.selection;
  const auto spans = dumper::select(selection, opened);
  if (!spans.ok()) return spans.status();
  const auto& entries = opened->processes;
  JoinMemory joins;
  ReadRun read = load_all(entries.size(), options, [&](size_t i) {
    return load_process(entries[i], spans.value()[i], selection,
                        terms_of(entries[i], memories, options, &joins));
  });
  // Of those whose rank could not be told before.
  read.erase(std::remove_if(read.begin(), read.end(),
                            [&](const auto& process) {
                              return process->row.rank >= 0 &&
                                     !selection.wants_rank(process->row.rank);
                            }),
             read.end());
  if (read.empty()) return Status::error(opened->path + ": no process of these ranks");
  add_directory_notes(*opened, read.front().get());
  return read;
}

}  // namespace

Result<ReadRun> read_run(const std::string& directory, const LoadOptions& options) {
  if (!options.parts.empty()) return from_parts(options);
  // Memory first: what a process lets go of meanwhile is in its segments then.
  std::vector<std::unique_ptr<dumper::LivingMemory>> living;
  if (options.memory) living = dumper::read_living(directory);
  auto opened = dumper::RunDirectory::open(directory);
  if (!opened.ok() && living.empty()) return opened.status();
  dumper::RunDirectory run = opened.ok() ? std::move(opened.value()) : dumper::RunDirectory();
  run.path = directory;
  const Memories memories = add_living(living, &run);
  if (options.selection.is_whole()) return read_all_of(run, memories, options);
  return read_part_of(&run, memories, options);
}

ReadRun read_run(const dumper::RunDirectory& opened, const LoadOptions& options) {
  return read_all_of(opened, {}, options);
}

Result<std::unique_ptr<RunTables>> load_run(const std::string& directory,
                                            const LoadOptions& options) {
  auto read = read_run(directory, options);
  if (!read.ok()) return read.status();
  NotedCaptures noted;
  for (const auto& process : read.value()) noted[process->row.uid] = std::move(process->captures);
  const std::string clock_directory = options.own_clocks ? "" : directory;
  auto run = options.brief ? relate<BriefOperation>(std::move(read.value()), clock_directory)
                           : relate(std::move(read.value()), clock_directory);
  add_captures(directory, noted, run.get());
  return run;
}

}  // namespace lockstep::analysis
