// LD_PRELOAD: a disk that stands still. The first SLOW_WRITES writes (default all) to a file opened
// as *.lks take SLOW_WRITE_MS each, or all wait until there is a file SLOW_UNTIL. For tests of what
// happens to NCCL's threads when the dump thread cannot write.
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool is_segment(int fd) {
  char link[64], path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t length = readlink(link, path, sizeof path);
  return length > 4 && std::memcmp(path + length - 4, ".lks", 4) == 0;
}

long number(const char* name, long fallback) {
  const char* value = getenv(name);
  return value != nullptr ? std::atol(value) : fallback;
}

void stand_still(int fd) {
  static std::atomic<long> writes{0};
  if (const char* file = getenv("SLOW_UNTIL"); file != nullptr && is_segment(fd)) {
    while (access(file, F_OK) != 0) usleep(1000);
    return;
  }
  if (!is_segment(fd) || writes.fetch_add(1) >= number("SLOW_WRITES", LONG_MAX)) return;
  usleep(static_cast<useconds_t>(number("SLOW_WRITE_MS", 1000) * 1000));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) ssize_t write(int fd, const void* bytes,
                                                                size_t size) {
  using Write = ssize_t (*)(int, const void*, size_t);
  static const auto real = reinterpret_cast<Write>(dlsym(RTLD_NEXT, "write"));
  stand_still(fd);
  return real(fd, bytes, size);
}

extern "C" __attribute__((visibility("default"))) ssize_t pwrite(int fd, const void* bytes,
                                                                 size_t size, off_t offset) {
  using Pwrite = ssize_t (*)(int, const void*, size_t, off_t);
  static const auto real = reinterpret_cast<Pwrite>(dlsym(RTLD_NEXT, "pwrite"));
  stand_still(fd);
  return real(fd, bytes, size, offset);
}

extern "C" __attribute__((visibility("default"))) ssize_t pwrite64(int fd, const void* bytes,
                                                                   size_t size, off_t offset) {
  return pwrite(fd, bytes, size, offset);
}
