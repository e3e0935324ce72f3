#include "base/system.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>

#include "base/clock_ns.h"

namespace lockstep {
namespace {

// /proc's files have no size, so reading goes on to the end.
Result<std::string> read_all(int file, size_t limit) {
  struct stat facts {};
  if (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) return Status::error("it is not a file");
  std::string text;
  char part[4096];
  while (text.size() <= limit) {
    const ssize_t got = read(file, part, sizeof part);
    if (got == 0) return text;
    if (got > 0) text.append(part, static_cast<size_t>(got));
    if (got < 0 && errno != EINTR) return Status::error(std::strerror(errno));
  }
  constexpr size_t kMiB = 1 << 20;
  return Status::error("it is larger than " + (limit % kMiB == 0
                                                   ? std::to_string(limit / kMiB) + " MiB"
                                                   : std::to_string(limit) + " bytes"));
}

}  // namespace

std::string this_host() {
  char name[HOST_NAME_MAX + 1] = {};
  return gethostname(name, sizeof name - 1) == 0 && name[0] != '\0' ? name : "unknown";
}

std::string utc_text(const char* format, int64_t real_ns) {
  char text[64];
  const std::time_t seconds = real_ns / 1'000'000'000;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return std::string(text, std::strftime(text, sizeof text, format, &utc));
}

uint64_t random_u64() {
  uint64_t value = 0;
  if (getrandom(&value, sizeof value, GRND_NONBLOCK) == sizeof value && value != 0) return value;
  return static_cast<uint64_t>(real_now_ns()) << 16 ^ static_cast<uint64_t>(getpid());
}

std::string link_target(const std::string& path) {
  char target[256];
  const ssize_t size = readlink(path.c_str(), target, sizeof target);
  return size > 0 ? std::string(target, static_cast<size_t>(size)) : "";
}

Result<std::string> read_small_file(const std::string& path, size_t limit) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // waits for no pipe
  if (file < 0) return Status::error(std::strerror(errno));
  Result<std::string> text = read_all(file, limit);
  close(file);
  return text;
}

}  // namespace lockstep
