#include "hostload/sample/kernel_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace lockstep::hostload {

namespace {

constexpr size_t kOneRead = 4096;
constexpr size_t kMostBytes = 256 * 1024;

// O_NONBLOCK: should a FIFO lie there, nobody waits for its writer.
int open_to_read(const std::string& path) {
  return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

}  // namespace

KernelFile::KernelFile(const std::string& path) : file_(open_to_read(path)) {}

KernelFile& KernelFile::operator=(KernelFile&& other) noexcept {
  std::swap(file_, other.file_);
  return *this;
}

KernelFile::~KernelFile() {
  if (file_ >= 0) close(file_);
}

std::string KernelFile::read() const {
  char buffer[kOneRead];
  const ssize_t size = file_ < 0 ? -1 : pread(file_, buffer, sizeof buffer, 0);
  return std::string(buffer, size > 0 ? static_cast<size_t>(size) : 0);
}

// The kernel may hand over a long file line by line.
std::string read_kernel_file(const std::string& path) {
  std::string text;
  const int file = open_to_read(path);
  if (file < 0) return text;
  char buffer[kOneRead];
  ssize_t size = 0;
  while (text.size() < kMostBytes && (size = read(file, buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<size_t>(size));
  close(file);
  return text;
}

}  // namespace lockstep::hostload
