#include "cli/job/file_move.h"

#include <fcntl.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;
constexpr size_t kPieceBytes = 1 << 20;

Status failed(const std::string& path, int why) {
  return Status::error(path + ": " + std::strerror(why) +
                       "; what was copied is kept, collect again to continue");
}

// 0 when it cannot be read, which is no file's checksum in practice.
uint64_t checksum(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::unique_ptr<XXH3_state_t, int (*)(XXH3_state_t*)> state(
      XXH3_createState(), [](XXH3_state_t* s) { return static_cast<int>(XXH3_freeState(s)); });
  XXH3_64bits_reset(state.get());
  std::vector<char> bytes(kPieceBytes);
  while (file.read(bytes.data(), kPieceBytes) || file.gcount() > 0)
    XXH3_64bits_update(state.get(), bytes.data(), static_cast<size_t>(file.gcount()));
  return file.bad() ? 0 : XXH3_64bits_digest(state.get());
}

bool same(const std::string& a, const std::string& b) {
  std::error_code error_a, error_b;
  const auto size_a = fs::file_size(a, error_a), size_b = fs::file_size(b, error_b);
  return !error_a && !error_b && size_a == size_b && checksum(a) == checksum(b);
}

// Copies what the copy lacks, and forces it to the disk.
Result<uint64_t> continue_copy(const std::string& from, const std::string& copy) {
  std::ifstream source(from, std::ios::binary);
  if (!source) return failed(from, errno);
  const int target = open(copy.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (target < 0) return failed(copy, errno);
  const off_t begin = lseek(target, 0, SEEK_END);
  source.seekg(begin);
  uint64_t copied = 0;
  int why = 0;
  std::vector<char> bytes(kPieceBytes);
  while (why == 0 && (source.read(bytes.data(), kPieceBytes) || source.gcount() > 0)) {
    const auto size = static_cast<size_t>(source.gcount());
    for (size_t done = 0; done < size && why == 0;) {
      const ssize_t written = write(target, bytes.data() + done, size - done);
      if (written < 0 && errno != EINTR) why = errno;
      if (written > 0) done += static_cast<size_t>(written);
    }
    copied += size;
  }
  if (why == 0 && fsync(target) != 0) why = errno;
  close(target);
  if (why != 0) return failed(copy, why);
  return copied;
}

}  // namespace

Result<uint64_t> move_file(const std::string& from, const std::string& to) {
  std::error_code error;
  uint64_t copied = 0;
  if (fs::exists(to, error)) {
    if (!same(from, to)) return Status::error(to + " is there and is not " + from);
  } else {
    const std::string copy = to + ".part";
    auto continued = continue_copy(from, copy);
    if (continued.ok() && !same(from, copy)) {  // the beginning was another file's
      fs::remove(copy, error);
      continued = continue_copy(from, copy);
    }
    if (!continued.ok()) return continued;
    if (!same(from, copy)) return Status::error(copy + " is not what " + from + " is; not renamed");
    copied = continued.value();
    fs::rename(copy, to, error);
    if (error) return Status::error(to + ": " + error.message());
  }
  fs::remove(from, error);
  if (error) return Status::error(from + ": cannot be removed: " + error.message());
  return copied;
}

}  // namespace lockstep::cli
