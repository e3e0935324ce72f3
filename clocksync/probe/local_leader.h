// One prober per host and job: whoever holds an abstract Unix socket of a certain name is it. The
// kernel frees the name when its holder dies, however it dies, and the next one to ask gets it. The
// name is bound to the network namespace by itself, and holds user, job, host, boot and time
// namespace: ranks that share all of these share a clock. Used by the prober's thread.
#pragma once

#include <string>

#include "clocksync/rendezvous/job_facts.h"

namespace lockstep::clocksync {

class LocalLeader {
 public:
  LocalLeader(const std::string& job, const std::string& host, const HostFacts& facts);
  ~LocalLeader();
  LocalLeader(const LocalLeader&) = delete;
  LocalLeader& operator=(const LocalLeader&) = delete;

  // True from the moment on when this process is the leader.
  bool try_lead();
  int fd() const { return fd_; }

 private:
  std::string name_;
  int fd_ = -1;
};

}  // namespace lockstep::clocksync
