// What the targets share: the bytes of one fuzz input as a file, for readers that take a path, in
// memory, so that a disk does not set the pace; one file for all inputs of a process.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace lockstep::fuzz {

// Where a target may make files of its own.
inline std::string scratch_directory() {
  const char* directory = getenv("TMPDIR");
  return directory == nullptr ? "/tmp" : directory;
}

class InputFile {
 public:
  InputFile() : file_(memfd_create("input", MFD_CLOEXEC)) {
    path_ = "/proc/self/fd/" + std::to_string(file_);
  }
  const std::string& holding(const uint8_t* bytes, size_t size) const {
    const bool written =
        ftruncate(file_, 0) == 0 && pwrite(file_, bytes, size, 0) == static_cast<ssize_t>(size);
    if (!written) abort();
    return path_;
  }

 private:
  int file_;
  std::string path_;
};

}  // namespace lockstep::fuzz
