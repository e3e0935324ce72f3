#include "dumper/recovery/recover.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <set>
#include <tuple>

#include "base/text.h"
#include "dumper/feeds/prometheus_files.h"
#include "dumper/recovery/memory_files.h"
#include "dumper/recovery/recovery.h"
#include "dumper/run/run_files.h"
#include "lockstep/config.h"

namespace lockstep::dumper {
namespace {

using Outcome = RecoveredProcess::Outcome;

// What a run directory holds of its processes.
struct Contents {
  bool nothing = true;
  std::set<uint64_t> processes;  // with segments
};

Contents contents_of(const std::string& run_directory) {
  Contents contents;
  const auto files = run_files(run_directory);
  if (!files.ok()) return contents;
  for (const std::string& file : files.value()) {
    const bool segment = has_ending(file, ".lks");
    if (segment || has_ending(file, ".arena")) contents.nothing = false;
    if (!segment) continue;
    const auto reader = SegmentReader::open(file, {false});
    if (reader.ok()) contents.processes.insert(reader.value()->header().process_uid);
  }
  return contents;
}

struct UnnamedArenas {
  std::vector<FoundArena> of_this_run, unclaimed;
};

// Killed before it could write its *.arena file, or between making it and writing to it, which it does after
// its socket is there. One that holds anything is of a later process with its number.
bool left_its_socket(const ArenaFile& arena, const std::string& directory) {
  const std::string files =
      directory + "/" + arena.host() + "." + std::to_string(arena.header().pid);
  struct stat facts;
  const bool named = ::lstat((files + ".arena").c_str(), &facts) == 0 && facts.st_size != 0;
  return ::access((files + ".ctl").c_str(), F_OK) == 0 && !named;
}

// Arenas that name this run and that no *.arena file names: their process could not write one, or
// its run was removed. Processes write to the run directory or to their host's directory there.
UnnamedArenas unnamed_arenas(const std::string& run_directory,
                             const std::vector<FoundArena>& named) {
  UnnamedArenas arenas;
  const Contents contents = contents_of(run_directory);
  for (const std::string& path : memory_files()) {
    const bool known = std::any_of(named.begin(), named.end(),
                                   [&](const FoundArena& found) { return found.path == path; });
    if (known) continue;
    const auto arena = ArenaFile::open(path);
    if (!arena.ok()) continue;
    const std::string directory = real_path(arena.value()->run_directory());
    if (directory != run_directory && directory != run_directory + "/" + arena.value()->host())
      continue;
    const bool ours = contents.nothing ||
                      contents.processes.count(arena.value()->header().process_uid) != 0 ||
                      left_its_socket(*arena.value(), directory);
    (ours ? arenas.of_this_run : arenas.unclaimed).push_back({path, directory});
  }
  return arenas;
}

std::string counted(uint64_t number, const char* what) {
  return std::to_string(number) + " " + what + (number == 1 ? "" : "s");
}

void describe(RecoveredProcess* process, const Status& status) {
  const std::string who = process->host + " process " + std::to_string(process->pid) + ": ";
  if (!status.ok()) {
    process->outcome = Outcome::Failed;
    process->sentence = who + status.message() + "; nothing was removed, run recover again";
  } else if (process->outcome == Outcome::NothingLeft) {
    process->sentence = who + "everything was in its segments already";
  } else {
    process->sentence = who + counted(process->records, "record") + " recovered into " +
                        process->segment + ", " + counted(process->in_progress, "call") +
                        " in progress when it ended";
  }
}

RecoveredProcess leave_unclaimed(const std::string& path) {
  RecoveredProcess left;
  left.arena = path;
  left.outcome = Outcome::Unclaimed;
  const auto arena = ArenaFile::open(path);
  if (!arena.ok()) return left;
  left.host = arena.value()->host();
  left.pid = arena.value()->header().pid;
  const std::string who = left.host + " process " + std::to_string(left.pid);
  if (process_state(arena.value()->process()) == ProcessState::Running) {
    left.outcome = Outcome::Running;
    left.sentence = who + " is still running; left alone";
    return left;
  }
  left.sentence = who + ": its memory file " + path +
                  " names this directory, which holds nothing of that process, so it is of an "
                  "earlier run here; left alone. `lockstep recover --all` takes it all the same, "
                  "or remove it";
  return left;
}

uint64_t keep_s_of(const ProcessFacts& facts) {
  for (const OptionFact& option : facts.options) {
    if (option.name == option_row(Option::PrometheusKeepS).name)
      return std::strtoull(option.value.c_str(), nullptr, 10);
  }
  return 0;
}

// Not those of other hosts, whose processes cannot be seen from here.
void remove_dead_metrics(const RunDirectory& run) {
  // Processes of one host share the folder, as a rule.
  std::set<std::tuple<std::string, std::string, uint64_t>> folders;
  for (const ProcessEntry& process : run.processes) {
    if (!process.facts.prometheus_dir.empty() && process.state() != ProcessState::Elsewhere)
      folders.emplace(process.facts.prometheus_dir, process.host, keep_s_of(process.facts));
  }
  for (const auto& [folder, host, keep_s] : folders)
    remove_dead_prometheus_files(folder, host, keep_s);
}

// Of those that had no memory file, or whose was recovered before they could take their socket away.
void remove_dead_sockets(const RunDirectory& run) {
  std::set<std::string> dead, alive;  // a number that is in use again has one socket for both
  for (const ProcessEntry& process : run.processes) {
    const std::string socket = parent_of(process.segments.front().path) + "/" + process.host + "." +
                               std::to_string(process.pid) + ".ctl";
    (process.state() == ProcessState::Dead ? dead : alive).insert(socket);
  }
  for (const std::string& socket : dead) {
    if (alive.count(socket) == 0) ::unlink(socket.c_str());
  }
}

// What dead processes of the run left besides records.
void remove_leftovers(const std::string& directory) {
  const auto run = RunDirectory::open(directory);
  if (!run.ok()) return;
  remove_dead_sockets(run.value());
  remove_dead_metrics(run.value());
}

}  // namespace

RecoveredProcess recover_arena(const std::string& path, const std::string& directory) {
  const char* const elsewhere = " was recovered by another lockstep at the same time";
  RecoveredProcess result;
  result.arena = path;
  const auto opened = ArenaFile::open(path);
  if (!opened.ok()) {
    const bool is_gone = ::access(path.c_str(), F_OK) != 0 && errno == ENOENT;
    if (is_gone) result.outcome = Outcome::NothingLeft;
    result.sentence = is_gone ? path + elsewhere : opened.message();
    return result;
  }
  ArenaFile& arena = *opened.value();
  result.host = arena.host();
  result.pid = arena.header().pid;
  const std::string who = result.host + " process " + std::to_string(result.pid);
  const ProcessState state = process_state(arena.process());
  if (state != ProcessState::Dead) {
    result.outcome = state == ProcessState::Running ? Outcome::Running : Outcome::Elsewhere;
    result.sentence = state == ProcessState::Running
                          ? who + " is still running; left alone"
                          : who + " belongs to another host; run `lockstep recover` there";
    return result;
  }
  if (!arena.claim()) {
    result.outcome = Outcome::NothingLeft;
    result.sentence = who + elsewhere;
    return result;
  }
  Recovery recovery(arena, directory, read_segments(directory, arena.header().process_uid));
  Status status;
  try {
    status = recovery.run();
  } catch (const std::bad_alloc&) {
    status = Status::error("out of memory");
  }
  result.records = recovery.records();
  result.in_progress = recovery.in_progress();
  result.segment = recovery.segment();
  result.outcome = result.segment.empty() ? Outcome::NothingLeft : Outcome::Recovered;
  describe(&result, status);
  if (!status.ok()) return result;
  arena.remove();
  const std::string files = directory + "/" + result.host + "." + std::to_string(result.pid);
  ::unlink((files + ".arena").c_str());
  ::unlink((files + ".ctl").c_str());
  return result;
}

Result<std::vector<RecoveredProcess>> recover_run(const std::string& directory) {
  struct stat facts;
  const int why = ::stat(directory.c_str(), &facts) == 0 ? 0 : errno;
  if (why == 0 && !S_ISDIR(facts.st_mode)) return Status::error(directory + ": not a directory");
  std::vector<FoundArena> arenas = find_arenas(directory);
  const UnnamedArenas unnamed = unnamed_arenas(real_path(directory), arenas);
  arenas.insert(arenas.end(), unnamed.of_this_run.begin(), unnamed.of_this_run.end());
  if (why != 0 && arenas.empty()) {
    return Status::error(directory + ": cannot read the directory: " + std::strerror(why));
  }
  std::vector<RecoveredProcess> results;
  for (const FoundArena& arena : arenas)
    results.push_back(recover_arena(arena.path, arena.directory));
  for (const FoundArena& arena : unnamed.unclaimed) results.push_back(leave_unclaimed(arena.path));
  remove_leftovers(directory);
  return results;
}

Status recover_ended_run(const std::string& directory) {
  const auto recovered = recover_run(directory);
  if (!recovered.ok()) return recovered.status();
  for (const RecoveredProcess& process : recovered.value()) {
    if (process.outcome == Outcome::Running || process.outcome == Outcome::Failed)
      return Status::error(process.sentence + "; nothing was collected");
  }
  return Status();
}

std::vector<RecoveredProcess> recover_all() {
  std::vector<RecoveredProcess> results;
  std::set<std::string> directories;
  for (const std::string& path : memory_files()) {
    struct stat facts;
    if (::lstat(path.c_str(), &facts) != 0 || facts.st_uid != ::geteuid()) continue;
    const auto arena = ArenaFile::open(path);
    const std::string directory = arena.ok() ? arena.value()->run_directory() : std::string();
    if (!arena.ok() || ::stat(directory.c_str(), &facts) == 0) {
      results.push_back(recover_arena(path, directory));
      directories.insert(directory);
      continue;
    }
    RecoveredProcess& left = results.emplace_back();
    left.arena = path;
    left.host = arena.value()->host();
    left.pid = arena.value()->header().pid;
    left.sentence = left.host + " process " + std::to_string(left.pid) + ": its run directory " +
                    directory + " is gone; `lockstep recover " + directory +
                    "` makes it again, or remove " + path;
  }
  for (const std::string& directory : directories) remove_leftovers(directory);
  return results;
}

}  // namespace lockstep::dumper
