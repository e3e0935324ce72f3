#include "hostload/sample/kernel_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace lockstep::hostload {

namespace {

constexpr size_t kOneRead = 4096;
constexpr size_t kMostBytes = size_t{256} * 1024;

}  // namespace

// O_NONBLOCK: should a FIFO lie there, nobody waits for its writer.
KernelFile::KernelFile(const std::string& path, int more_flags)
    : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | more_flags)) {}

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
  const KernelFile file(path);
  if (!file.is_open()) return text;
  char buffer[kOneRead];
  ssize_t size = 0;
  while (text.size() < kMostBytes && (size = read(file.fd(), buffer, sizeof buffer)) > 0)
    text.append(buffer, static_cast<size_t>(size));
  return text;
}

}  // namespace lockstep::hostload
