#include "clocksync/wire/key_file.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "base/output_file.h"

namespace lockstep::clocksync {
namespace {

Status key_error(const std::string& path, const std::string& what) {
  return Status::error("clock key " + path + ": " + what +
                       "; expected a file of 32 bytes with mode 0600 that you own");
}

// Nobody ever reads half a key, and when another host was faster, its key counts.
Status create_key(const std::string& path) {
  SecretKey key;
  randombytes_buf(key.data(), key.size());
  const std::string_view bytes(reinterpret_cast<const char*>(key.data()), key.size());
  const Status written = write_file(path, bytes, IfExists::Refuse, {0600, true});
  if (written.ok() || access(path.c_str(), F_OK) == 0) return Status();
  return key_error(path, "cannot be created (" + written.message() + ")");
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
