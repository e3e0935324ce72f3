// Moves a file to where it is to stay so that it can be interrupted at any point and called again:
// the copy grows under a name of its own, continues where it was, is read back and compared by
// checksum, and only then gets its name and the original goes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_fingerprint.h"
#include "lockstep/status.h"

namespace lockstep::cli {

// The copy while it grows. One thread.
class GrowingCopy {
 public:
  explicit GrowingCopy(std::string path);
  ~GrowingCopy();
  GrowingCopy(const GrowingCopy&) = delete;
  GrowingCopy& operator=(const GrowingCopy&) = delete;

  uint64_t bytes() const { return bytes_; }
  // False: it cannot be kept; finish() says why.
  bool append(std::string_view bytes);
  // On the disk.
  Status finish();

 private:
  const std::string path_;
  int file_ = -1, error_ = 0;
  uint64_t bytes_ = 0;
};

// The file that is to be moved, wherever it is.
class MovedFile {
 public:
  virtual ~MovedFile() = default;
  virtual std::string name() const = 0;  // for people
  // What the copy lacks. An error here counts only if the copy has none of its own.
  virtual Status append_rest(GrowingCopy* copy) = 0;
  virtual Result<FileFingerprint> fingerprint() = 0;
  virtual Status remove() = 0;
};

// The result is how many bytes were copied now.
Result<uint64_t> move_file(MovedFile* from, const std::string& to);
// One of this machine, to another of its file systems.
Result<uint64_t> move_file(const std::string& from, const std::string& to);

}  // namespace lockstep::cli
