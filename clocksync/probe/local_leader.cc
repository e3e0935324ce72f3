#include "clocksync/probe/local_leader.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>

namespace lockstep::clocksync {

LocalLeader::LocalLeader(const std::string& job, const std::string& host, const HostFacts& facts) {
  const uint64_t hash =
      name_hash(job + "\n" + host + "\n" + facts.boot_id + "\n" + facts.clock_namespace);
  name_ = "lockstep-clock/" + std::to_string(geteuid()) + "/" + std::to_string(hash);
}

LocalLeader::~LocalLeader() {
  if (fd_ >= 0) close(fd_);
}

bool LocalLeader::try_lead() {
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

}  // namespace lockstep::clocksync
