#include "dumper/run/run_directory.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "dumper/run/run_files.h"

namespace lockstep::dumper {
namespace {

constexpr size_t kMaxPathBytes = 4096;

bool parse_number(const std::string& text, uint32_t* out) {
  if (text.empty() || text.size() > 10 || text.find_first_not_of("0123456789") != std::string::npos)
    return false;
  const unsigned long long number = std::strtoull(text.c_str(), nullptr, 10);
  *out = static_cast<uint32_t>(number);
  return number <= 0xffffffffu;
}

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
// missing.
void read_facts(ProcessEntry* process) {
  constexpr int kChunksToTry = 4;
  for (const SegmentFile& segment : process->segments) {
    auto reader = SegmentReader::open(segment.path, {false});
    if (!reader.ok()) continue;
    SegmentChunk chunk;
    for (int i = 0; i < kChunksToTry && reader.value()->next(&chunk); ++i) {
      if (chunk.type != ChunkType::Facts) continue;
      auto facts = facts_from_json(chunk.text);
      if (!facts.ok()) continue;
      process->facts_json = chunk.text;
      process->facts = std::move(facts.value());
      return;
    }
  }
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

void add_segment(uint64_t uid, SegmentFile segment, std::map<uint64_t, ProcessEntry>* processes) {
  ProcessEntry& process = (*processes)[uid];
  process.uid = uid;
  process.host = segment.name.host;
  process.pid = segment.name.pid;
  process.segments.push_back(std::move(segment));
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
  return parse_number(name.substr(pid_dot + 1, number_dot - pid_dot - 1), &out->pid) &&
         parse_number(name.substr(number_dot + 1, end - number_dot - 1), &out->number);
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

Result<RunDirectory> RunDirectory::open(const std::string& path) {
  RunDirectory run;
  run.path = path;
  const auto files = run_files(path);
  if (!files.ok()) return files.status();
  std::map<uint64_t, ProcessEntry> processes;
  std::vector<SegmentFile> headless;
  for (const std::string& file : files.value()) {
    SegmentFile segment;
    if (!parse_segment_name(base_name(file), &segment.name)) continue;
    segment.path = file;
    struct stat facts;
    if (::stat(file.c_str(), &facts) == 0) segment.bytes = static_cast<uint64_t>(facts.st_size);
    auto reader = SegmentReader::open(file, {false});
    if (!reader.ok()) return reader.status();
    run.bytes += segment.bytes;
    const SegmentHeader& header = reader.value()->header();
    segment.number = header.segment_number;
    segment.writer = header.writer;
    if (header.process_uid == 0) {
      segment.number = segment.name.number;
      headless.push_back(std::move(segment));
    } else {
      add_segment(header.process_uid, std::move(segment), &processes);
    }
  }
  for (SegmentFile& segment : headless) {
    const uint64_t uid = uid_by_name(processes, segment.name);
    add_segment(uid, std::move(segment), &processes);
  }
  if (processes.empty()) {
    return Status::error(
        path +
        ": no lockstep segments (files named HOST.PID.N.lks) here; give the directory that "
        "LOCKSTEP_DIR named when the job ran");
  }
  for (FoundArena& arena : arenas_among(files.value())) run.arenas.push_back(std::move(arena.path));
  for (auto& [uid, process] : processes) {
    std::stable_sort(
        process.segments.begin(), process.segments.end(),
        [](const SegmentFile& a, const SegmentFile& b) { return a.number < b.number; });
    read_facts(&process);
    run.processes.push_back(std::move(process));
  }
  std::stable_sort(run.processes.begin(), run.processes.end(),
                   [](const ProcessEntry& a, const ProcessEntry& b) {
                     return std::tie(a.host, a.pid) < std::tie(b.host, b.pid);
                   });
  return run;
}

}  // namespace lockstep::dumper
