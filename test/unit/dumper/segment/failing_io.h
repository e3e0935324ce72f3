// A file system that does not do its part.
#pragma once

#include <algorithm>
#include <cerrno>

#include "dumper/segment/file_io.h"

namespace lockstep::dumper {

// Passes everything on, except what a test makes fail.
class FailingIo : public FileIo {
 public:
  int64_t write_at(int file, const void* bytes, size_t size, uint64_t offset) override {
    if (file_limit != 0) {
      if (offset >= file_limit) return -EFBIG;
      size = std::min<size_t>(size, file_limit - offset);
    }
    if (left >= 0 && static_cast<int64_t>(size) > left) {
      if (left == 0) return -error;
      const int64_t written = FileIo::write_at(file, bytes, static_cast<size_t>(left), offset);
      left = 0;
      return written;
    }
    if (left >= 0) left -= static_cast<int64_t>(size);
    const size_t step = most == 0 ? size : std::min(size, most);
    return FileIo::write_at(file, bytes, step, offset);
  }
  int sync(int file) override { return sync_error != 0 ? -sync_error : FileIo::sync(file); }
  int sync_error = 0;
  int64_t left = -1;  // bytes until the disk is full; -1 = room enough
  size_t most = 0;    // bytes a call writes at most
  uint64_t file_limit = 0;  // bytes of a file at most (RLIMIT_FSIZE); 0 = no limit
  int error = ENOSPC;
};

}  // namespace lockstep::dumper
