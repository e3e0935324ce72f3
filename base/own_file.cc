#include "base/own_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace lockstep {
namespace {

int open_own(const std::string& path, int flags) {
  const int file = open(path.c_str(), flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
  if (file < 0) return -1;
  struct stat facts {};
  if (fstat(file, &facts) == 0 && facts.st_uid == geteuid() && S_ISREG(facts.st_mode)) return file;
  close(file);
  errno = EPERM;
  return -1;
}

std::FILE* as_stream(int file, const char* mode) {
  std::FILE* stream = file < 0 ? nullptr : fdopen(file, mode);
  if (stream == nullptr && file >= 0) close(file);
  return stream;
}

}  // namespace

std::FILE* open_own_file_to_append(const std::string& path) {
  return as_stream(open_own(path, O_RDWR | O_APPEND), "a+");
}

}  // namespace lockstep
