#include "dumper/segment/file_io.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace lockstep::dumper {
namespace {

template <typename F>
auto repeat(F call) -> decltype(call()) {
  decltype(call()) result;
  do {
    result = call();
  } while (result < 0 && errno == EINTR);
  return result < 0 ? -errno : result;
}

}  // namespace

int FileIo::create(const char* path) {
  return repeat(
      [&] { return ::open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600); });
}
int64_t FileIo::write_at(int file, const void* bytes, size_t size, uint64_t offset) {
  return repeat([&] { return ::pwrite(file, bytes, size, static_cast<off_t>(offset)); });
}
int FileIo::truncate(int file, uint64_t size) {
  return repeat([&] { return ::ftruncate(file, static_cast<off_t>(size)); });
}
int FileIo::sync(int file) {
  return repeat([&] { return ::fdatasync(file); });
}
// Not repeated: Linux has closed the descriptor even when it says EINTR.
int FileIo::close(int file) { return ::close(file) == 0 ? 0 : -errno; }
int FileIo::remove(const char* path) {
  return repeat([&] { return ::unlink(path); });
}
int FileIo::make_directory(const char* path) {
  return repeat([&] { return ::mkdir(path, 0700); });
}
int FileIo::make_directories(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1)) {
    make_directory(path.substr(0, slash).c_str());
  }
  const int made = make_directory(path.c_str());
  return made == -EEXIST ? 0 : made;
}
bool FileIo::nameless(int file) {
  struct stat facts;
  return ::fstat(file, &facts) == 0 && facts.st_nlink == 0;
}

bool FileIo::exists(const char* path) { return ::access(path, F_OK) == 0; }

FileIo* system_file_io() {
  static FileIo io;
  return &io;
}

}  // namespace lockstep::dumper
