// A file that an export writes: whole or not at all (base/output_file.h), and compressed with gzip when its name ends in
// ".gz", which the readers of JSON traces and Perfetto open as it is. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/output_file.h"

namespace lockstep::analysis {

class ExportFile {
 public:
  static Result<std::unique_ptr<ExportFile>> create(const std::string& path, IfExists if_exists);
  ~ExportFile();
  ExportFile(const ExportFile&) = delete;
  ExportFile& operator=(const ExportFile&) = delete;

  // commit() reports what fails here.
  void write(std::string_view bytes);
  Status commit();
  // More than so many bytes before compression are dropped, and nothing is committed.
  void limit(uint64_t bytes) { limit_ = bytes; }
  bool beyond_limit() const { return written_ > limit_; }

 private:
  struct Gzip;
  explicit ExportFile(std::unique_ptr<OutputFile> file);
  void compress(std::string_view bytes, bool last);

  std::unique_ptr<OutputFile> file_;
  std::unique_ptr<Gzip> gzip_;  // null: as it is
  uint64_t written_ = 0, limit_ = ~uint64_t{0};
};

}  // namespace lockstep::analysis
