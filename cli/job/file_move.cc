#include "cli/job/file_move.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
constexpr size_t kPieceBytes = 1 << 20;

Status failed(const std::string& path, int why) {
  return Status::error(path + ": " + std::strerror(why) +
                       "; what was copied is kept, collect again to continue");
}

class FileHere final : public MovedFile {
 public:
  explicit FileHere(const std::string& path) : path_(path) {}
  std::string name() const override { return path_; }

  Status append_rest(GrowingCopy* copy) override {
    std::ifstream source(path_, std::ios::binary);
    if (!source) return failed(path_, errno);
    source.seekg(static_cast<std::streamoff>(copy->bytes()));
    std::vector<char> bytes(kPieceBytes);
    while (source.read(bytes.data(), kPieceBytes) || source.gcount() > 0) {
      if (!copy->append({bytes.data(), static_cast<size_t>(source.gcount())})) break;
    }
    return Status();
  }
  Result<FileFingerprint> fingerprint() override { return fingerprint_of(path_); }
  Status remove() override {
    std::error_code error;
    fs::remove(path_, error);
    return error ? Status::error(path_ + ": cannot be removed: " + error.message()) : Status();
  }

 private:
  const std::string& path_;
};

Result<uint64_t> continue_copy(MovedFile* from, const std::string& path) {
  GrowingCopy copy(path);
  const uint64_t had = copy.bytes();
  const Status appended = from->append_rest(&copy);
  const Status finished = copy.finish();
  if (!finished.ok()) return finished;
  if (!appended.ok()) return appended;
  return copy.bytes() - had;
}

Result<bool> is_same(MovedFile* from, const std::string& copy) {
  const auto original = from->fingerprint();
  if (!original.ok()) return original.status();
  const auto here = fingerprint_of(copy);
  if (!here.ok()) return here.status();
  return original.value() == here.value();
}

Result<uint64_t> copy_file(MovedFile* from, const std::string& to) {
  const std::string copy = to + ".part";
  std::error_code error;
  for (const bool again : {false, true}) {
    if (again) fs::remove(copy, error);  // the beginning was another file's
    Result<uint64_t> copied = continue_copy(from, copy);
    if (!copied.ok()) return copied;
    const Result<bool> same = is_same(from, copy);
    if (!same.ok()) return same.status();
    if (!same.value()) continue;
    fs::rename(copy, to, error);
    if (error) return Status::error(to + ": " + error.message());
    return copied;
  }
  return Status::error(copy + " is not what " + from->name() + " is; not renamed");
}

}  // namespace

GrowingCopy::GrowingCopy(std::string path)
    : path_(std::move(path)),
      file_(open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)),
      error_(file_ < 0 ? errno : 0) {
  const off_t end = file_ < 0 ? -1 : lseek(file_, 0, SEEK_END);
  if (end > 0) bytes_ = static_cast<uint64_t>(end);
}

GrowingCopy::~GrowingCopy() {
  if (file_ >= 0) close(file_);
}

bool GrowingCopy::append(std::string_view bytes) {
  while (error_ == 0 && !bytes.empty()) {
    const ssize_t written = write(file_, bytes.data(), bytes.size());
    if (written < 0 && errno != EINTR) error_ = errno;
    if (written <= 0) continue;
    bytes.remove_prefix(static_cast<size_t>(written));
    bytes_ += static_cast<uint64_t>(written);
  }
  return error_ == 0;
}

Status GrowingCopy::finish() {
  if (error_ == 0 && fsync(file_) != 0) error_ = errno;
  return error_ == 0 ? Status() : failed(path_, error_);
}

Result<uint64_t> move_file(MovedFile* from, const std::string& to) {
  std::error_code error;
  Result<uint64_t> copied = uint64_t{0};
  if (fs::exists(to, error)) {
    const Result<bool> same = is_same(from, to);
    if (!same.ok()) return same.status();
    if (!same.value()) return Status::error(to + " is there and is not " + from->name());
  } else {
    copied = copy_file(from, to);
    if (!copied.ok()) return copied;
  }
  const Status removed = from->remove();
  if (!removed.ok()) return removed;
  return copied;
}

Result<uint64_t> move_file(const std::string& from, const std::string& to) {
  FileHere file(from);
  return move_file(&file, to);
}

}  // namespace lockstep::cli
