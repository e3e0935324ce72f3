#include "base/host_lock.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>

namespace lockstep {

HostLock::~HostLock() {
  if (fd_ >= 0) close(fd_);
}

bool HostLock::try_take() {
  if (fd_ >= 0) return true;
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  // The zero byte in front makes it abstract: no file, nothing to clean up.
  name_.copy(address.sun_path + 1, sizeof address.sun_path - 2);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name_.size());
  if (fd >= 0 && bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0) {
    fd_ = fd;
    return true;
  }
  if (fd >= 0) close(fd);
  return false;
}

}  // namespace lockstep
