// One process per host: whoever holds an abstract Unix socket of a certain name is it. The kernel frees
// the name when its holder dies, however it dies, and the next one to ask gets it. The name is bound to
// the network namespace by itself. One thread.
#pragma once

#include <string>

namespace lockstep {

class HostLock {
 public:
  // At most 106 bytes of the name count.
  explicit HostLock(std::string name) : name_(std::move(name)) {}
  ~HostLock();
  HostLock(const HostLock&) = delete;
  HostLock& operator=(const HostLock&) = delete;

  // True from the moment on when this process has it.
  bool try_take();
  // A forked child must close its copy, which would keep the lock; -1 while not taken.
  int fd() const { return fd_; }

 private:
  std::string name_;
  int fd_ = -1;
};

}  // namespace lockstep
