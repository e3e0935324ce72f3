// Samples the host while this process records: one process per host and run directory does, the others
// wait for its end and ask each second. All of it happens on a thread of its own, for which stop() waits
// 50 ms at most; one that hangs ends by itself. start() and stop() are called
// by one thread at a time. A forked child samples nothing.
#pragma once

#include <pthread.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "hostload/sample/sampler.h"
#include "lockstep/status.h"

namespace lockstep::hostload {

struct HostLoadOptions {
  SamplerOptions sampler;
  std::function<void(const std::string&)> log;  // warnings; from the thread
};

class HostLoad {
 public:
  HostLoad() = default;
  ~HostLoad() { stop(); }
  HostLoad(const HostLoad&) = delete;
  HostLoad& operator=(const HostLoad&) = delete;

  Status start(HostLoadOptions options);
  void stop();

 private:
  struct Session;
  std::shared_ptr<Session> session_;  // the thread holds it, too
  pthread_t thread_{};
};

}  // namespace lockstep::hostload
