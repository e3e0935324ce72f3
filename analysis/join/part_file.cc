#include "analysis/join/part_file.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>
#include <fstream>
#include <type_traits>
#include <vector>

#include "base/output_file.h"
#include "lockstep/version.h"

namespace lockstep::analysis {
namespace {

class Writer {
 public:
  template <class T>
  void value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  void text(const std::string& text) {
    value(uint64_t{text.size()});
    bytes_ += text;
  }
  void texts(const std::vector<std::string>& texts) {
    value(uint64_t{texts.size()});
    for (const std::string& each : texts) text(each);
  }
  template <class T>
  void rows(const std::vector<T>& rows) {
    static_assert(std::is_trivially_copyable_v<T>);
    value(uint64_t{sizeof(T)});
    value(uint64_t{rows.size()});
    bytes_.append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(T));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : left_(bytes) {}
  template <class T>
  void value(T* value) {
    take(value, sizeof(T));
  }
  std::string text() {
    uint64_t size = 0;
    value(&size);
    std::string text(size <= left_.size() ? size : 0, '\0');
    take(text.data(), size);
    return text;
  }
  void texts(std::vector<std::string>* texts) {
    uint64_t count = 0;
    value(&count);
    for (uint64_t i = 0; i < count && !failed_; ++i) texts->push_back(text());
  }
  template <class T>
  void rows(std::vector<T>* rows) {
    uint64_t size = 0, count = 0;
    value(&size);
    value(&count);
    failed_ = failed_ || size != sizeof(T) || count > left_.size() / sizeof(T);
    if (failed_) return;
    rows->resize(count);
    take(rows->data(), count * sizeof(T));
  }
  bool failed() const { return failed_; }

 private:
  void take(void* to, uint64_t size) {
    failed_ = failed_ || size > left_.size();
    if (failed_ || size == 0) return;
    std::memcpy(to, left_.data(), size);
    left_.remove_prefix(size);
  }
  std::string_view left_;
  bool failed_ = false;
};

}  // namespace

Status write_part(const LoadedProcess& process, const std::string& path) {
  Writer out;
  out.text(kVersion);
  out.value(process.row);
  out.value(uint64_t{process.strings.size()});
  for (Text i = 0; i < process.strings.size(); ++i) out.text(process.strings.text(i));
  out.texts(process.notes);
  out.texts(process.damage);
  const ProcessOperations& joined = process.joined;
  out.rows(process.ledger);
  out.rows(process.settings);
  out.rows(joined.comms);
  out.rows(joined.foreign);
  out.rows(joined.open);
  out.rows(joined.rows);
  out.rows(joined.steps);
  out.rows(joined.ranges);
  out.rows(joined.channels);
  out.rows(joined.channel_ends);
  const uint64_t checksum = XXH3_64bits(out.bytes().data(), out.bytes().size());
  auto file = OutputFile::create(path, IfExists::Replace);
  if (!file.ok()) return file.status();
  file.value()->write({reinterpret_cast<const char*>(&checksum), sizeof(checksum)});
  file.value()->write(out.bytes());
  return file.value()->commit();
}

Result<std::unique_ptr<LoadedProcess>> read_part(const std::string& path, PartRows rows) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto damaged = [&] {
    return Status::error(path +
                         ": not a whole part of this lockstep's; all nodes need the same one");
  };
  uint64_t checksum = 0;
  if (bytes.size() < sizeof(checksum)) return damaged();
  std::memcpy(&checksum, bytes.data(), sizeof(checksum));
  const std::string_view body = std::string_view(bytes).substr(sizeof(checksum));
  if (checksum != XXH3_64bits(body.data(), body.size())) return damaged();
  Reader in(body);
  if (in.text() != kVersion) return damaged();
  auto process = std::make_unique<LoadedProcess>();
  in.value(&process->row);
  uint64_t count = 0;
  in.value(&count);
  for (uint64_t i = 0; i < count && !in.failed(); ++i) process->strings.intern(in.text());
  in.texts(&process->notes);
  in.texts(&process->damage);
  ProcessOperations& joined = process->joined;
  in.rows(&process->ledger);
  in.rows(&process->settings);
  in.rows(&joined.comms);
  in.rows(&joined.foreign);
  if (rows == PartRows::All) {
    in.rows(&joined.open);
    in.rows(&joined.rows);
    in.rows(&joined.steps);
    in.rows(&joined.ranges);
    in.rows(&joined.channels);
    in.rows(&joined.channel_ends);
  }
  if (in.failed()) return damaged();
  return process;
}

}  // namespace lockstep::analysis
