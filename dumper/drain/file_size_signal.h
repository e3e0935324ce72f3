// While one lives, a file beyond the process's size limit (ulimit -f) is an error (EFBIG) on this
// thread and no signal: SIGXFSZ would end the host. Our own threads block every signal anyway; this
// is for the host's, when they write in init, finalize and exit.
#pragma once

#include <signal.h>

#include <ctime>

namespace lockstep::dumper {

class NoFileSizeSignal {
 public:
  NoFileSizeSignal() {
    sigset_t pending;
    sigemptyset(&only_);
    sigaddset(&only_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &only_, &before_);
    sigpending(&pending);
    theirs_ = sigismember(&pending, SIGXFSZ) == 1;
  }
  ~NoFileSizeSignal() {
    const timespec now{};
    while (!theirs_ && sigtimedwait(&only_, nullptr, &now) == SIGXFSZ) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoFileSizeSignal(const NoFileSizeSignal&) = delete;
  NoFileSizeSignal& operator=(const NoFileSizeSignal&) = delete;

 private:
  sigset_t only_, before_;
  bool theirs_ = false;  // it was pending before: not ours to take
};

}  // namespace lockstep::dumper
