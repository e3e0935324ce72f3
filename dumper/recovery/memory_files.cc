#include "dumper/recovery/memory_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/text.h"
#include "lockstep/shared_blocks.h"

namespace lockstep::dumper {
namespace {

constexpr uint32_t kArenaVersion = 1;

bool is_arena_name(const std::string& name) {
  return starts_with(name, "lockstep-") && has_ending(name, ".blocks");
}

// The head of an ArenaHeader, up to what other threads write to.
constexpr size_t kHeadBytes = offsetof(ArenaHeader, ended);

template <class Number>
Number number_at(const char* head, size_t offset) {
  Number number{};
  std::memcpy(&number, head + offset, sizeof number);
  return number;
}

std::string text_at(const char* head, size_t offset, size_t size) {
  return std::string(head + offset, strnlen(head + offset, size));
}

// Where it is a file of our own, and long enough.
bool read_head(const std::string& path, char* head) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  struct stat facts {};
  const bool ours = ::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) &&
                    facts.st_uid == ::geteuid() &&
                    ::pread(file, head, kHeadBytes, 0) == static_cast<ssize_t>(kHeadBytes);
  ::close(file);
  return ours;
}

}  // namespace

// The part of the path that is there with links resolved, the rest as it stands: a process that
// died before its first dump left no directory.
std::string real_path(std::string path) {
  std::string rest;
  while (true) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    if (char* real = ::realpath(path.empty() ? "." : path.c_str(), nullptr)) {
      const std::string found(real);
      std::free(real);
      return rest.empty() ? found : found + rest;
    }
    const size_t slash = path.rfind('/');
    rest = "/" + path.substr(slash == std::string::npos ? 0 : slash + 1) + rest;
    path = slash == std::string::npos ? "" : path.substr(0, std::max<size_t>(slash, 1));
  }
}

// Where processes keep their arenas (plugin/record/arena.cc), by their names.
std::vector<std::string> memory_files() {
  std::vector<std::string> places = {"/dev/shm", "/tmp"};
  for (const char* name : {"TMPDIR", "LOCKSTEP_SHM_DIR"}) {
    const char* place = ::getenv(name);
    if (place != nullptr && place[0] == '/') places.push_back(real_path(place));
  }
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  std::vector<std::string> arenas;
  for (const std::string& place : places) {
    DIR* directory = ::opendir(place.c_str());
    if (directory == nullptr) continue;
    while (const dirent* entry = ::readdir(directory)) {
      if (is_arena_name(entry->d_name)) arenas.push_back(place + "/" + entry->d_name);
    }
    ::closedir(directory);
  }
  return arenas;
}

std::optional<MemoryFile> read_memory_file(const std::string& path) {
  char head[kHeadBytes];
  if (!read_head(path, head) || number_at<uint64_t>(head, 0) != kArenaMagic ||
      number_at<uint32_t>(head, offsetof(ArenaHeader, version)) != kArenaVersion) {
    return std::nullopt;
  }
  MemoryFile file;
  file.path = path;
  file.process_uid = number_at<uint64_t>(head, offsetof(ArenaHeader, process_uid));
  file.run_directory = text_at(head, offsetof(ArenaHeader, run_dir), kPathBytes);
  file.process.host = text_at(head, offsetof(ArenaHeader, host), sizeof ArenaHeader::host);
  file.process.boot_id = text_at(head, offsetof(ArenaHeader, boot_id), sizeof ArenaHeader::boot_id);
  file.process.pid = number_at<uint32_t>(head, offsetof(ArenaHeader, pid));
  file.process.start = number_at<uint64_t>(head, offsetof(ArenaHeader, process_start));
  // It becomes part of file names; no process of ours ever wrote one with a slash.
  if (file.process.host.empty() || file.process.host.find('/') != std::string::npos)
    return std::nullopt;
  return file;
}

}  // namespace lockstep::dumper
