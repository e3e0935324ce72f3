// The file `<host>.clock`: JSON Lines of lockstep/clock_record.h. The prober's thread appends with
// ClockRecordWriter, which keeps lines in memory and hands them to the kernel on flush(), so that a
// crash costs at most what was not flushed. Anyone reads with ClockRecordReader, also while the
// file grows: it never holds more than one line, a damaged line costs only itself and is reported
// with its byte offset, unknown record types are counted and skipped, and a torn last line is not
// an error. Neither class throws, and neither knows what the records mean.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/clock_record.h"
#include "lockstep/status.h"

namespace lockstep::clocksync {

struct FileCloser {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

class ClockRecordWriter {
 public:
  // Appends to `directory/host.clock`. A torn last line of an earlier writer is ended first.
  static Result<ClockRecordWriter> open(const std::string& directory, const std::string& host);

  void append(const ClockRecord& record);
  // Writes what was appended. After a failure (disk full) the lines are dropped and counted.
  Status flush();
  uint64_t lines_dropped() const { return lines_dropped_; }
  const std::string& path() const { return path_; }

 private:
  ClockRecordWriter(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  std::string path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::string pending_;
  uint64_t lines_pending_ = 0;
  uint64_t lines_dropped_ = 0;
};

struct ClockReadReport {
  uint64_t records = 0;
  uint64_t unknown_types = 0;
  uint64_t damaged_lines = 0;
  uint64_t torn_tail_bytes = 0;  // of a last line without its newline
  // The first few damaged lines: file, byte offset, what is wrong.
  std::vector<std::string> complaints;
};

class ClockRecordReader {
 public:
  static constexpr size_t kMaxLineBytes = 1 << 20;
  static constexpr size_t kMaxComplaints = 20;

  static Result<ClockRecordReader> open(const std::string& path);

  // The next readable record; nothing at the end of the file.
  std::optional<ClockRecord> next();
  const ClockReadReport& report() const { return report_; }

 private:
  enum class Line { Whole, TooLong, Torn, End };

  ClockRecordReader(std::string path, std::FILE* file) : path_(std::move(path)), file_(file) {}
  Line read_line();
  bool fill();
  void complain(uint64_t offset, const std::string& what);

  std::string path_;
  std::unique_ptr<std::FILE, FileCloser> file_;
  std::vector<char> buffer_;
  size_t buffer_at_ = 0;
  uint64_t offset_ = 0;  // of the next unread byte
  std::string line_;
  ClockReadReport report_;
};

}  // namespace lockstep::clocksync
