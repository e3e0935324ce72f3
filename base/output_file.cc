#include "base/output_file.h"

#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

namespace lockstep {
namespace {

constexpr size_t kBufferBytes = 1u << 20;

Status cannot_write(const std::string& path, int error) {
  return Status::error("cannot write " + path + ": " + std::strerror(error));
}

Status refusal(const std::string& path) {
  return Status::error(path + " exists; give another path, or --force to replace it");
}

// The process and a count keep two writers of one name apart.
std::string temporary_name(const std::string& path) {
  static std::atomic<unsigned> made{0};
  return path + ".part-" + std::to_string(getpid()) + "-" + std::to_string(made++);
}

int open_new(const std::string& path, mode_t mode) {
  return open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
}

int rename_over(const std::string& from, const std::string& to) {
  return rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

}  // namespace

int rename_to_new(const std::string& from, const std::string& to) {
  // By number: the plugin must load where glibc has no renameat2().
  if (syscall(SYS_renameat2, AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // A file system that cannot rename this way. A link is refused just as safely, but a directory
  // has none.
  if (link(from.c_str(), to.c_str()) == 0) return unlink(from.c_str()) == 0 ? 0 : errno;
  struct stat found;
  if (lstat(to.c_str(), &found) == 0) return EEXIST;
  return rename_over(from, to);
}

Result<std::unique_ptr<OutputFile>> OutputFile::create(const std::string& path, IfExists if_exists,
                                                       FileTerms terms) {
  struct stat found;
  if (lstat(path.c_str(), &found) == 0) {
    if (if_exists == IfExists::Refuse) return refusal(path);
    if (stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode))
      return Status::error(path + " is a directory; this format writes one file");
  }
  std::unique_ptr<OutputFile> out(new OutputFile);
  out->path_ = path;
  out->if_exists_ = if_exists;
  out->terms_ = terms;
  out->temporary_ = temporary_name(path);
  out->file_ = open_new(out->temporary_, terms.mode);
  if (out->file_ < 0 && errno == EEXIST) {
    // Of a dead process with our number, or planted.
    unlink(out->temporary_.c_str());
    out->file_ = open_new(out->temporary_, terms.mode);
  }
  if (out->file_ < 0) return cannot_write(path, errno);
  return out;
}

OutputFile::~OutputFile() {
  if (file_ < 0) return;
  close(file_);
  unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view bytes) {
  buffer_.append(bytes);
  if (buffer_.size() >= kBufferBytes) flush();
}

void OutputFile::flush() {
  size_t done = 0;
  while (done < buffer_.size() && error_ == 0) {
    const ssize_t n = ::write(file_, buffer_.data() + done, buffer_.size() - done);
    if (n > 0) {
      done += static_cast<size_t>(n);
    } else if (n == 0 || errno != EINTR) {
      error_ = n == 0 ? ENOSPC : errno;
    }
  }
  buffer_.clear();
}

Status OutputFile::commit() {
  flush();
  if (terms_.reach_disk && error_ == 0 && fsync(file_) != 0) error_ = errno;
  if (close(file_) != 0 && error_ == 0) error_ = errno;
  file_ = -1;
  if (error_ == 0) {
    error_ = if_exists_ == IfExists::Refuse ? rename_to_new(temporary_, path_)
                                            : rename_over(temporary_, path_);
  }
  if (error_ == 0) return {};
  unlink(temporary_.c_str());
  return error_ == EEXIST ? refusal(path_) : cannot_write(path_, error_);
}

Status write_file(const std::string& path, std::string_view bytes, IfExists if_exists,
                  FileTerms terms) {
  auto file = OutputFile::create(path, if_exists, terms);
  if (!file.ok()) return file.status();
  file.value()->write(bytes);
  return file.value()->commit();
}

}  // namespace lockstep
