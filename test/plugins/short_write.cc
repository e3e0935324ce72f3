// LD_PRELOAD: no write to a segment takes more than SHORT_WRITE_BYTES (default 100) at once.
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

extern "C" __attribute__((visibility("default"))) ssize_t pwrite(int fd, const void* bytes,
                                                                 size_t size, off_t offset) {
  using Pwrite = ssize_t (*)(int, const void*, size_t, off_t);
  static const auto real = reinterpret_cast<Pwrite>(dlsym(RTLD_NEXT, "pwrite"));
  const char* most = getenv("SHORT_WRITE_BYTES");
  return real(fd, bytes,
              std::min<size_t>(size, most != nullptr ? std::strtoul(most, nullptr, 10) : 100),
              offset);
}
extern "C" __attribute__((visibility("default"))) ssize_t pwrite64(int fd, const void* bytes,
                                                                   size_t size, off_t offset) {
  return pwrite(fd, bytes, size, offset);
}
