#include "live/native/thread_copy.h"

#include <gtest/gtest.h>

#include "test/unit/live/native/waiting_process.h"

namespace lockstep::live {
namespace {

using ThreadCopyTest = TracingTest;

TEST_F(ThreadCopyTest, LeavesTheThreadAsItWas) {
  const Waiting process;
  for (int i = 0; i < 20; ++i) ASSERT_EQ(process.copy().outcome, ThreadCopy::Outcome::Copied);
  while (process.state() != 'S') usleep(1000);
}

TEST_F(ThreadCopyTest, StopsTheThreadWhileItIsCopied) {
  const Waiting process;
  char state = '?';
  const ThreadCopy copy = process.copy([&] { state = process.state(); });
  ASSERT_EQ(copy.outcome, ThreadCopy::Outcome::Copied);
  EXPECT_EQ(state, 't');
  EXPECT_GT(copy.stopped_ns, 0);
  EXPECT_FALSE(copy.stack.empty());
}

TEST_F(ThreadCopyTest, LeavesAProcessStoppedThatASignalHasStopped) {
  const Waiting process;
  kill(process.pid(), SIGSTOP);
  while (process.state() != 'T') usleep(1000);

  EXPECT_EQ(process.copy().outcome, ThreadCopy::Outcome::Copied);
  // The kernel wakes it to stop once more, this time for the signal alone; it has to be given a processor.
  char state = process.state();
  for (; state == 't' || state == 'R'; state = process.state()) usleep(1000);
  EXPECT_EQ(state, 'T');
  kill(process.pid(), SIGCONT);
  while (process.state() != 'S') usleep(1000);
}

TEST_F(ThreadCopyTest, LetsASignalThroughThatComesMeanwhile) {
  Waiting process;
  process.copy([&] { kill(process.pid(), SIGTERM); });
  const int status = process.status_of_end();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

// Whoever has called vfork() waits in state D until its child is gone.
TEST_F(ThreadCopyTest, GivesUpAThreadThatCannotStopAndLeavesNothingBehind) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    close(ends[1]);
    char byte = 0;
    if (vfork() == 0) {
      [[maybe_unused]] const ssize_t none = read(ends[0], &byte, 1);
      _exit(0);
    }
    pause();
    _exit(0);
  }
  close(ends[0]);
  const auto state = [&] { return threads_of(parent).front().state; };
  while (state() != 'D') usleep(1000);

  ThreadCopy copy;
  std::thread tracer([&] { copy = copy_thread(parent, parent, {}, 50'000'000, {}); });
  tracer.join();
  EXPECT_EQ(copy.outcome, ThreadCopy::Outcome::Unstoppable);

  close(ends[1]);  // the child ends, and with it the parent's wait
  while (state() == 'D' || state() == 'R') usleep(1000);
  EXPECT_EQ(state(), 'S');
  kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
}

TEST_F(ThreadCopyTest, SaysThatAProcessIsGone) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  EXPECT_EQ(copy_thread(gone, gone, {}, kPatienceNs, {}).outcome, ThreadCopy::Outcome::Gone);
}

}  // namespace
}  // namespace lockstep::live
