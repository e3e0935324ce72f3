#include "base/service_thread.h"

#include <csignal>

namespace lockstep::dumper {

bool ServiceThread::start(const char* name, void* (*body)(void*), void* argument) {
  sigset_t all, before;
  sigfillset(&all);
  if (pthread_sigmask(SIG_SETMASK, &all, &before) != 0) return false;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  // Enough for zstd and JSON; independent of the host's ulimit -s.
  pthread_attr_setstacksize(&attributes, 1 << 20);
  running_ = pthread_create(&thread_, &attributes, body, argument) == 0;
  pthread_attr_destroy(&attributes);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (running_) pthread_setname_np(thread_, name);
  return running_;
}

void ServiceThread::join() {
  if (running_) pthread_join(thread_, nullptr);
  running_ = false;
}

}  // namespace lockstep::dumper
