// For programs that run until they are told to end.
#pragma once

#include <pthread.h>
#include <sys/signalfd.h>

#include <csignal>

namespace lockstep {

// Readable once SIGTERM, SIGINT or SIGHUP came; -1 on error. They are blocked in the calling thread and in those that it
// starts from then on, so that none is lost: call it before any other thread is there.
inline int end_signals_fd() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  return signalfd(-1, &ends, SFD_CLOEXEC);
}

}  // namespace lockstep
