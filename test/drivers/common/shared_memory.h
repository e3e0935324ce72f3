// A zeroed struct of atomics shared between a process and the children it forks, or kept in a file
// so that it survives them all. Mapped once at start, never unmapped: threads may count until the
// process is gone.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "lockstep/status.h"

namespace lockstep::driver {

template <typename T>
T* map_shared(size_t count) {
  void* memory =
      mmap(nullptr, count * sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : static_cast<T*>(memory);
}

template <typename T>
Result<T*> map_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) return Status::error("cannot create " + path + ": " + strerror(errno));
  void* memory = MAP_FAILED;
  if (posix_fallocate(file, 0, sizeof(T)) == 0) {
    memory = mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  if (memory == MAP_FAILED) return Status::error("cannot map " + path + ": is the disk full?");
  return static_cast<T*>(memory);
}

}  // namespace lockstep::driver
