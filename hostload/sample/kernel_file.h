// A file below /proc or /sys that is read again and again: opened once, then one pread() a reading,
// since the kernel prints such a file anew for whoever reads from its start. Everything here closes
// what it opened, even when memory runs out: the descriptors are the job's. Any thread.
#pragma once

#include <dirent.h>

#include <cstddef>
#include <memory>
#include <string>

namespace lockstep::hostload {

class KernelFile {
 public:
  KernelFile() = default;
  // Whether it opened is in is_open().
  explicit KernelFile(const std::string& path, int more_flags = 0);
  KernelFile(KernelFile&& other) noexcept : file_(other.file_) { other.file_ = -1; }
  KernelFile& operator=(KernelFile&& other) noexcept;
  ~KernelFile();

  bool is_open() const { return file_ >= 0; }
  int fd() const { return file_; }
  // A file of one line, or of a few; cut at 4 KiB. Empty where there is nothing to read, any more.
  std::string read() const;

 private:
  int file_ = -1;
};

struct DirectoryCloser {
  void operator()(DIR* directory) const { closedir(directory); }
};
// Empty where there is none.
using Directory = std::unique_ptr<DIR, DirectoryCloser>;

// The whole of a file that is read too seldom to keep it open, cut at 256 KiB.
std::string read_kernel_file(const std::string& path);

}  // namespace lockstep::hostload
