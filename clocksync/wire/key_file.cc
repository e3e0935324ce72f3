#include "clocksync/wire/key_file.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lockstep::clocksync {
namespace {

Status key_error(const std::string& path, const std::string& what) {
  return Status::error("clock key " + path + ": " + what +
                       "; expected a file of 32 bytes with mode 0600 that you own");
}

// Written under another name first, so that nobody ever reads half a key; link() fails when another
// host was faster, and then its key counts.
Status create_key(const std::string& path) {
  SecretKey key;
  randombytes_buf(key.data(), key.size());
  const std::string draft = path + "." + std::to_string(random_u64());
  const int fd = open(draft.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
  if (fd < 0) return key_error(draft, std::strerror(errno));
  const bool written = write(fd, key.data(), key.size()) == ssize_t(key.size()) && fsync(fd) == 0;
  close(fd);
  const bool linked = written && (link(draft.c_str(), path.c_str()) == 0 || errno == EEXIST);
  const std::string reason = std::strerror(errno);
  unlink(draft.c_str());
  return linked ? Status() : key_error(path, "cannot be created (" + reason + ")");
}

}  // namespace

Result<SecretKey> read_key_file(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return key_error(path, std::strerror(errno));
  struct stat facts {};
  SecretKey key;
  const bool mine = fstat(fd, &facts) == 0 && facts.st_uid == geteuid();
  const bool closed = (facts.st_mode & 077) == 0;
  const bool whole = facts.st_size == ssize_t(key.size()) &&
                     read(fd, key.data(), key.size()) == ssize_t(key.size());
  close(fd);
  if (!mine) return key_error(path, "belongs to another user");
  if (!closed) return key_error(path, "others may read it");
  if (!whole) return key_error(path, "has another size");
  return key;
}

Result<SecretKey> read_or_create_key(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) {
    const Status created = create_key(path);
    if (!created.ok()) return created;
  }
  return read_key_file(path);
}

}  // namespace lockstep::clocksync
