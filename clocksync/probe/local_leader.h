// One prober per host and job, by base/host_lock.h. The name holds user, job, host, boot and time
// namespace: ranks that share all of these share a clock. Used by the prober's thread.
#pragma once

#include <string>

#include "base/host_lock.h"
#include "clocksync/rendezvous/job_facts.h"

namespace lockstep::clocksync {

class LocalLeader {
 public:
  LocalLeader(const std::string& job, const std::string& host, const HostFacts& facts);

  // True from the moment on when this process is the leader.
  bool try_lead() { return lock_.try_take(); }
  int fd() const { return lock_.fd(); }

 private:
  HostLock lock_;
};

}  // namespace lockstep::clocksync
