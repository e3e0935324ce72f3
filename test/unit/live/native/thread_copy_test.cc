#include "live/native/thread_copy.h"

#include <gtest/gtest.h>

#include "test/unit/live/native/waiting_process.h"

namespace lockstep::live {
namespace {

TEST(ThreadCopy, LeavesTheThreadAsItWas) {
  const Waiting process;
  for (int i = 0; i < 20; ++i) ASSERT_EQ(process.copy().outcome, ThreadCopy::Outcome::Copied);
  while (process.state() != 'S') usleep(1000);
}

TEST(ThreadCopy, StopsTheThreadWhileItIsCopied) {
  const Waiting process;
  char state = '?';
  const ThreadCopy copy = process.copy([&] { state = process.state(); });
  ASSERT_EQ(copy.outcome, ThreadCopy::Outcome::Copied);
  EXPECT_EQ(state, 't');
  EXPECT_GT(copy.stopped_ns, 0);
  EXPECT_FALSE(copy.stack.empty());
}

TEST(ThreadCopy, LeavesAProcessStoppedThatASignalHasStopped) {
  const Waiting process;
  kill(process.pid(), SIGSTOP);
  while (process.state() != 'T') usleep(1000);

  EXPECT_EQ(process.copy().outcome, ThreadCopy::Outcome::Copied);
  while (process.state() == 't') usleep(1000);
  EXPECT_EQ(process.state(), 'T');
  kill(process.pid(), SIGCONT);
  while (process.state() != 'S') usleep(1000);
}

TEST(ThreadCopy, LetsASignalThroughThatComesMeanwhile) {
  Waiting process;
  process.copy([&] { kill(process.pid(), SIGTERM); });
  const int status = process.status_of_end();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM);
}

TEST(ThreadCopy, SaysThatAProcessIsGone) {
  const pid_t gone = fork();
  if (gone == 0) _exit(0);
  waitpid(gone, nullptr, 0);
  EXPECT_EQ(copy_thread(gone, gone, {}, kPatienceNs, {}).outcome, ThreadCopy::Outcome::Gone);
}

}  // namespace
}  // namespace lockstep::live
