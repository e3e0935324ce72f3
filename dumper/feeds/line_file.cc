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
  // Only an older process's lines are emptied, never what somebody put in the place of ours.
  const int empty = opened_before_ ? 0 : O_TRUNC;
  file_ =
      open(path_.c_str(), O_WRONLY | O_CREAT | empty | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644);
  if (file_ < 0) return failure(path_, "open the file");
  opened_before_ = true;
  struct stat facts;
  if (first_line_.empty() || fstat(file_, &facts) != 0 || facts.st_size != 0) return Status();
  const std::string first = first_line_ + "\n";
  if (waiting_.compare(0, first.size(), first) != 0) waiting_.insert(0, first);
  return Status();
}

bool LineFile::has_lost_its_name() const {
  struct stat ours, named;
  if (fstat(file_, &ours) != 0) return false;
  return stat(path_.c_str(), &named) != 0 ? errno == ENOENT
                                          : named.st_dev != ours.st_dev ||
                                                named.st_ino != ours.st_ino;
}

// A line of which only a part was written goes into the next file whole.
void LineFile::leave_file() {
  close(file_);
  file_ = -1;
  if (written_of_waiting_ == 0) return;
  const size_t end = waiting_.rfind('\n', written_of_waiting_ - 1);
  waiting_.erase(0, end == std::string::npos ? 0 : end + 1);
  written_of_waiting_ = 0;
}

Status LineFile::flush() {
  if (waiting_.empty()) return Status();
  if (file_ >= 0 && has_lost_its_name()) leave_file();
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
