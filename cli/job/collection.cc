#include "cli/job/collection.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "base/text.h"
#include "cli/job/file_move.h"
#include "dumper/recovery/recover.h"
#include "dumper/run/capture_file.h"
#include "dumper/run/run_files.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

Result<std::string> move_all(const std::string& local, const std::string& directory) {
  const auto files = dumper::run_files(local);
  if (!files.ok()) return files.status();
  std::error_code error;
  size_t moved_files = 0;
  uint64_t bytes = 0;
  std::vector<std::string> wanted;
  for (const std::string& file : files.value()) {
    if (has_ending(file, ".ctl")) fs::remove(file, error);
    if (dumper::is_recording(file)) wanted.push_back(file);
  }
  const std::vector<std::string> captures = dumper::capture_files(local);
  wanted.insert(wanted.end(), captures.begin(), captures.end());
  for (const std::string& file : wanted) {
    const std::string to = directory + file.substr(local.size());
    fs::create_directories(dumper::parent_of(to), error);
    const auto moved = move_file(file, to);
    if (!moved.ok()) return moved.status();
    ++moved_files;
    bytes += moved.value();
  }
  // When nothing else is in them.
  for (const std::vector<std::string>& all : {files.value(), captures}) {
    for (const std::string& file : all) {
      if (dumper::parent_of(file) != local) fs::remove(dumper::parent_of(file), error);
    }
  }
  fs::remove(dumper::captures_folder(local), error);
  fs::remove(local, error);
  return std::to_string(moved_files) + " files, " + std::to_string(bytes) + " bytes copied to " +
         directory;
}

}  // namespace

Result<std::string> collect_recordings(const std::string& given, const std::string& directory) {
  std::string local = given;
  while (local.size() > 1 && local.back() == '/') local.pop_back();
  const std::string nothing = "nothing to collect: there is no " + local;
  const int lock = open(local.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0 && errno == ENOENT) return nothing;
  if (lock < 0) return Status::error(local + ": cannot be opened: " + std::strerror(errno));
  flock(lock, LOCK_EX);  // one at a time, where nodes share what was said to be local
  const auto collect = [&]() -> Result<std::string> {
    if (access(local.c_str(), F_OK) != 0) return nothing;
    const Status recovered = dumper::recover_ended_run(local);
    if (!recovered.ok()) return recovered;
    return move_all(local, directory);
  };
  Result<std::string> result = collect();
  close(lock);
  return result;
}

}  // namespace lockstep::cli
