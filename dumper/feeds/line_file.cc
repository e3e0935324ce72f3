#include "dumper/feeds/line_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lockstep::dumper {
namespace {

constexpr size_t kMostWaitingBytes = 32u << 20;

Status failure(const std::string& path, const char* doing) {
  return Status::error(path + ": cannot " + doing + ": " + std::strerror(errno));
}

}  // namespace

Status make_folders(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    mkdir(path.substr(0, slash).c_str(), 0755);
  }
  if (mkdir(path.c_str(), 0755) == 0 || errno == EEXIST) return Status();
  return failure(path, "make the folder");
}

LineFile::~LineFile() {
  if (file_ >= 0) close(file_);
}

void LineFile::add(std::string_view line) {
  if (waiting_.size() + line.size() > kMostWaitingBytes) {
    ++dropped_;
    return;
  }
  waiting_.append(line);
  waiting_ += '\n';
}

Status LineFile::open_file() {
  const size_t slash = path_.rfind('/');
  if (slash != std::string::npos && slash != 0) {
    if (Status made = make_folders(path_.substr(0, slash)); !made.ok()) return made;
  }
  file_ =
      open(path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
  return file_ >= 0 ? Status() : failure(path_, "open the file");
}

Status LineFile::flush() {
  if (waiting_.empty()) return Status();
  if (file_ < 0) {
    if (Status opened = open_file(); !opened.ok()) return opened;
  }
  while (written_of_waiting_ < waiting_.size()) {
    const ssize_t wrote =
        write(file_, waiting_.data() + written_of_waiting_, waiting_.size() - written_of_waiting_);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return failure(path_, "write");
    written_of_waiting_ += static_cast<size_t>(wrote);
  }
  waiting_.clear();
  written_of_waiting_ = 0;
  return Status();
}

}  // namespace lockstep::dumper
