// A process that stands in a known function, for tests that read stacks, and its copies.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <thread>

#include "live/native/thread_copy.h"
#include "live/native/thread_state.h"
#include "live/stacks/process_maps.h"

namespace lockstep::live {

// A kernel that has ptrace looks for the process first, and none has this number. qemu-user has none.
inline bool lacks_ptrace() {
  return ptrace(PTRACE_SEIZE, 0, nullptr, nullptr) != 0 && errno != ESRCH;
}

// Skips where no process can be traced.
class TracingTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (lacks_ptrace()) GTEST_SKIP() << "no process can be traced here: there is no ptrace";
  }
};

// Written to after a call, so that no call is the last thing that its function does.
inline volatile int places_entered = 0;
constexpr int64_t kPatienceNs = 10'000'000'000;  // only bounds a hang

[[gnu::noinline]] inline void waits_here(int pipe_end) {
  char byte = 0;
  while (read(pipe_end, &byte, 1) != 0) places_entered = places_entered + 1;
}
[[gnu::noinline]] inline void calls_who_waits(int pipe_end) {
  waits_here(pipe_end);
  places_entered = places_entered + 1;
}

// A process that stands in waits_here() until this goes.
class Waiting {
 public:
  Waiting() {
    EXPECT_EQ(pipe(ends_), 0);
    pid_ = fork();
    if (pid_ == 0) {
      close(ends_[1]);
      calls_who_waits(ends_[0]);
      _exit(0);
    }
    while (state() != 'S') usleep(1000);
  }
  ~Waiting() {
    if (pid_ > 0) kill(pid_, SIGKILL);
    status_of_end();
    close(ends_[0]);
    close(ends_[1]);
  }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  pid_t pid() const { return pid_; }
  int status_of_end() {
    int status = 0;
    if (pid_ > 0) waitpid(pid_, &status, 0);
    pid_ = 0;
    return status;
  }
  char state() const { return threads_of(pid_).front().state; }
  ThreadCopy copy(const std::function<void()>& while_stopped = {}) const {
    const auto map = read_maps(static_cast<uint32_t>(pid_));
    ThreadCopy copied;
    std::thread tracer(
        [&] { copied = copy_thread(pid_, pid_, map.value(), kPatienceNs, while_stopped); });
    tracer.join();
    return copied;
  }

 private:
  int ends_[2] = {-1, -1};
  pid_t pid_ = 0;
};

}  // namespace lockstep::live
