#include "clocksync/record/clock_files.h"

#include <cerrno>
#include <cstring>

#include "base/own_file.h"
#include "clocksync/record/clock_records.h"

namespace lockstep::clocksync {
namespace {

constexpr size_t kReadBytes = 64 << 10;

bool ends_without_newline(std::FILE* file) {
  if (std::fseek(file, -1, SEEK_END) != 0) return false;  // empty
  return std::fgetc(file) != '\n';
}

std::string reason() { return std::strerror(errno); }

}  // namespace

Result<ClockRecordWriter> ClockRecordWriter::open(const std::string& directory,
                                                  const std::string& host) {
  std::string path = directory + "/" + host + kClockFileSuffix;
  std::FILE* file = open_own_file_to_append(path);
  if (file == nullptr) {
    return Status::error(path + ": cannot be opened for writing (" + reason() +
                         "); name a writable directory");
  }
  std::setvbuf(file, nullptr, _IONBF, 0);
  ClockRecordWriter writer(std::move(path), file);
  if (ends_without_newline(file)) writer.pending_ = "\n";
  return writer;
}

void ClockRecordWriter::append(const ClockRecord& record) {
  pending_ += to_json(record);
  pending_ += '\n';
  ++lines_pending_;
}

Status ClockRecordWriter::flush() {
  if (pending_.empty()) return Status();
  const size_t written = std::fwrite(pending_.data(), 1, pending_.size(), file_.get());
  const bool whole = written == pending_.size();
  const std::string why = whole ? "" : reason();
  const uint64_t lines = lines_pending_;
  std::clearerr(file_.get());
  // A part that did reach the file may end inside a line: end that line before the next one.
  pending_ = whole ? "" : "\n";
  lines_pending_ = 0;
  if (whole) return Status();
  lines_dropped_ += lines;
  return Status::error(path_ + ": clock records could not be written (" + why + "); " +
                       std::to_string(lines) + " lines dropped");
}

Result<ClockRecordReader> ClockRecordReader::open(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) {
    return Status::error(path + ": cannot be opened (" + reason() +
                         "); expected a clock record file");
  }
  return ClockRecordReader(path, file);
}

bool ClockRecordReader::fill() {
  buffer_.resize(kReadBytes);
  buffer_.resize(std::fread(buffer_.data(), 1, kReadBytes, file_.get()));
  buffer_at_ = 0;
  return !buffer_.empty();
}

ClockRecordReader::Line ClockRecordReader::read_line() {
  line_.clear();
  bool too_long = false;
  for (;;) {
    if (buffer_at_ == buffer_.size() && !fill()) {
      return line_.empty() && !too_long ? Line::End : Line::Torn;
    }
    const char* begin = buffer_.data() + buffer_at_;
    const size_t left = buffer_.size() - buffer_at_;
    const char* end = static_cast<const char*>(std::memchr(begin, '\n', left));
    const size_t take = end == nullptr ? left : size_t(end - begin);
    too_long = too_long || line_.size() + take > kMaxLineBytes;
    if (!too_long) line_.append(begin, take);
    buffer_at_ += take + (end == nullptr ? 0 : 1);
    offset_ += take + (end == nullptr ? 0 : 1);
    if (end != nullptr) return too_long ? Line::TooLong : Line::Whole;
  }
}

void ClockRecordReader::complain(uint64_t offset, const std::string& what) {
  ++report_.damaged_lines;
  if (report_.complaints.size() >= kMaxComplaints) return;
  report_.complaints.push_back(path_ + ": line at byte " + std::to_string(offset) +
                               " skipped: " + what);
}

std::optional<ClockRecord> ClockRecordReader::next() {
  for (;;) {
    const uint64_t start = offset_;
    switch (read_line()) {
      case Line::End:
        return std::nullopt;
      case Line::Torn:
        report_.torn_tail_bytes = offset_ - start;
        return std::nullopt;
      case Line::TooLong:
        complain(start, "longer than " + std::to_string(kMaxLineBytes) + " bytes");
        continue;
      case Line::Whole:
        break;
    }
    if (line_.empty()) continue;
    Result<std::optional<ClockRecord>> record = from_json(line_.data(), line_.size());
    if (!record.ok()) {
      complain(start, record.message());
    } else if (!record.value().has_value()) {
      ++report_.unknown_types;
    } else {
      ++report_.records;
      return std::move(*record.value());
    }
  }
}

}  // namespace lockstep::clocksync
