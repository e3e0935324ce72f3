#include "dumper/run/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "base/text.h"
#include "dumper/run/run_files.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kMaxPathBytes = 4096;

std::string read_arena_path(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return {};
  char buffer[kMaxPathBytes];
  const ssize_t size = ::read(file, buffer, sizeof buffer);
  ::close(file);
  if (size <= 0) return {};
  std::string text(buffer, static_cast<size_t>(size));
  return text.substr(0, text.find('\n'));
}

std::vector<FoundArena> arenas_among(const std::vector<std::string>& files) {
  std::vector<FoundArena> arenas;
  for (const std::string& file : files) {
    FoundArena found = {"", parent_of(file)};
    if (has_ending(file, ".blocks")) found.path = file;
    if (has_ending(file, ".arena")) found.path = read_arena_path(file);
    struct stat facts;
    const bool there = has_ending(found.path, ".blocks") &&
                       ::lstat(found.path.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
    const bool known = std::any_of(arenas.begin(), arenas.end(), [&](const FoundArena& other) {
      return other.path == found.path;
    });
    if (there && !known) arenas.push_back(std::move(found));
  }
  return arenas;
}

// The facts are the first chunk of a segment; a few chunks are enough to know that they are
// missing. False when no chunk of the process can be read.
bool read_facts(ProcessEntry* process) {
  constexpr int kChunksToTry = 4;
  bool readable = false;
  for (const SegmentFile& segment : process->segments) {
    auto reader = SegmentReader::open(segment.path, {false});
    if (!reader.ok()) continue;
    SegmentChunk chunk;
    for (int i = 0; i < kChunksToTry && reader.value()->next(&chunk); ++i) {
      readable = true;
      if (chunk.type != ChunkType::Facts) continue;
      auto facts = facts_from_json(chunk.text);
      if (!facts.ok()) continue;
      process->facts_json = chunk.text;
      process->facts = std::move(facts.value());
      return true;
    }
  }
  return readable;
}

// A file whose header is damaged belongs to the process with its host and pid, when there is just
// one.
uint64_t uid_by_name(const std::map<uint64_t, ProcessEntry>& processes, const RunFileName& name) {
  uint64_t uid = 0;
  unsigned matches = 0;
  for (const auto& [candidate, process] : processes) {
    if (process.host != name.host || process.pid != name.pid) continue;
    uid = candidate;
    ++matches;
  }
  return matches == 1 ? uid : 0;
}

// Puts segment files to their processes.
class SegmentSorter {
 public:
  void add(SegmentFile segment) {
    struct stat facts;
    if (::stat(segment.path.c_str(), &facts) == 0)
      segment.bytes = static_cast<uint64_t>(facts.st_size);
    bytes_ += segment.bytes;
    segment.number = segment.name.number;
    auto reader = SegmentReader::open(segment.path, {false});
    if (!reader.ok()) {
      Damage damage = unreadable_file(segment, reader.status());
      headless_.push_back({std::move(segment), std::move(damage), false});
      return;
    }
    const SegmentHeader& header = reader.value()->header();
    if (header.process_uid != 0) {
      segment.number = header.segment_number;
      segment.writer = header.writer;
      return add_to(header.process_uid, std::move(segment));
    }
    SegmentChunk chunk;
    const bool readable = reader.value()->next(&chunk);
    const std::vector<Damage>& found = reader.value()->damage();
    Damage damage = found.empty()
                        ? unreadable_file(segment, Status::error("the header names no process"))
                        : found.front();
    headless_.push_back({std::move(segment), std::move(damage), readable});
  }

  // Once all files are added.
  void finish(RunDirectory* run) {
    for (Headless& file : headless_) {
      const uint64_t uid = uid_by_name(processes_, file.segment.name);
      if (uid != 0 || file.readable) {
        add_to(uid, std::move(file.segment));
      } else {
        run->unreadable.push_back(std::move(file.damage));
      }
    }
    run->bytes = bytes_;
    for (auto& [uid, process] : processes_) run->processes.push_back(std::move(process));
  }

 private:
  struct Headless {
    SegmentFile segment;
    Damage damage;
    bool readable;
  };

  void add_to(uint64_t uid, SegmentFile segment) {
    ProcessEntry& process = processes_[uid];
    process.uid = uid;
    process.host = segment.name.host;
    process.pid = segment.name.pid;
    process.segments.push_back(std::move(segment));
  }

  std::map<uint64_t, ProcessEntry> processes_;
  std::vector<Headless> headless_;
  uint64_t bytes_ = 0;
};

bool nothing_can_be_read(RunDirectory* run) {
  bool readable = false;
  for (ProcessEntry& process : run->processes) {
    std::stable_sort(
        process.segments.begin(), process.segments.end(),
        [](const SegmentFile& a, const SegmentFile& b) { return a.number < b.number; });
    readable = read_facts(&process) || readable;
  }
  return !readable;
}

// arenas: of processes that keep, or kept, records in memory.
Status nothing_here(const RunDirectory& run, size_t arenas) {
  if (run.processes.empty() && run.unreadable.empty()) {
    if (arenas != 0) {
      return Status::error(run.path + ": nothing is written yet, but " + std::to_string(arenas) +
                           (arenas == 1 ? " process" : " processes") +
                           " kept records in memory; `lockstep recover " + run.path +
                           "` saves those of processes that have ended");
    }
    return Status::error(
        run.path +
        ": no lockstep segments (files named HOST.PID.N.lks) here; give the directory that "
        "LOCKSTEP_DIR named when the job ran");
  }
  const std::string nothing = run.path + ": nothing in it can be read: ";
  if (!run.unreadable.empty()) return Status::error(nothing + to_sentence(run.unreadable.front()));
  const std::string& file = run.processes.front().segments.front().path;
  const auto reader = SegmentReader::open(file, {false});
  SegmentChunk chunk;
  if (!reader.ok()) return Status::error(nothing + reader.message());
  const bool damaged = !reader.value()->next(&chunk) && !reader.value()->damage().empty();
  return Status::error(nothing + (damaged ? to_sentence(reader.value()->damage().front())
                                          : file + ": it holds nothing but its header"));
}

}  // namespace

bool parse_segment_name(const std::string& name, RunFileName* out) {
  if (!has_ending(name, ".lks")) return false;
  const size_t end = name.size() - 4;
  const size_t number_dot = name.rfind('.', end - 1);
  if (number_dot == std::string::npos || number_dot == 0) return false;
  const size_t pid_dot = name.rfind('.', number_dot - 1);
  if (pid_dot == std::string::npos || pid_dot == 0) return false;
  out->host = name.substr(0, pid_dot);
  const auto number_in = [&name](size_t begin, size_t stop) {
    return parse_number<uint32_t>(std::string_view(name).substr(begin, stop - begin));
  };
  const auto pid = number_in(pid_dot + 1, number_dot), number = number_in(number_dot + 1, end);
  if (!pid || !number) return false;
  out->pid = *pid;
  out->number = *number;
  return true;
}

ProcessState ProcessEntry::state() const {
  if (facts_json.empty()) return ProcessState::Elsewhere;
  return process_state({facts.host, facts.boot_id, facts.pid, facts.process_start});
}

std::vector<FoundArena> find_arenas(const std::string& run_directory) {
  const auto files = run_files(run_directory);
  if (!files.ok()) return {};
  return arenas_among(files.value());
}

Damage unreadable_file(const SegmentFile& segment, const Status& why) {
  const std::string prefix = segment.path + ": ";
  const bool prefixed = why.message().rfind(prefix, 0) == 0;
  return {segment.path, 0, segment.bytes, why.message().substr(prefixed ? prefix.size() : 0),
          false};
}

std::vector<std::string> RunDirectory::damage_sentences() const {
  std::vector<std::string> sentences;
  for (const Damage& damage : unreadable) sentences.push_back(to_sentence(damage));
  return sentences;
}

bool has_segments(const std::string& run_directory) {
  const auto files = run_files(run_directory);
  RunFileName name;
  return files.ok() &&
         std::any_of(files.value().begin(), files.value().end(), [&](const std::string& file) {
           return parse_segment_name(base_name(file), &name);
         });
}

Result<RunDirectory> RunDirectory::open(const std::string& path) {
  RunDirectory run;
  run.path = path;
  const auto files = run_files(path);
  if (!files.ok()) return files.status();
  SegmentSorter sorter;
  for (const std::string& file : files.value()) {
    SegmentFile segment;
    segment.path = file;
    if (parse_segment_name(base_name(file), &segment.name)) sorter.add(std::move(segment));
  }
  sorter.finish(&run);
  std::vector<FoundArena> arenas = arenas_among(files.value());
  if (nothing_can_be_read(&run)) return nothing_here(run, arenas.size());
  for (FoundArena& arena : arenas) run.arenas.push_back(std::move(arena.path));
  std::stable_sort(run.processes.begin(), run.processes.end(),
                   [](const ProcessEntry& a, const ProcessEntry& b) {
                     return std::tie(a.host, a.pid) < std::tie(b.host, b.pid);
                   });
  return run;
}

}  // namespace lockstep::dumper
