#include "plugin/process/flush_signal.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace lockstep::plugin {
namespace {

class FlushSignalTest : public testing::Test {
 protected:
  ~FlushSignalTest() override {
    signal(SIGUSR1, SIG_DFL);
    signal(SIGUSR2, SIG_DFL);
  }
  // Until as many signals were seen; the test's own limit ends a wait for ever.
  void wait_for(int flushes) {
    while (flushes_ < flushes) usleep(1000);
  }

  std::atomic<int> flushes_{0};
  FlushSignal flush_signal_;
};

TEST_F(FlushSignalTest, FlushesAtTheSignalAndKeepsErrno) {
  ASSERT_TRUE(flush_signal_.start("SIGUSR1", [this] { ++flushes_; }).ok());
  errno = ENOTTY;
  raise(SIGUSR1);
  EXPECT_EQ(errno, ENOTTY);
  wait_for(1);

  flush_signal_.stop();
  raise(SIGUSR1);  // neither ends the program nor is there anybody to flush
  ASSERT_TRUE(flush_signal_.start("USR1", [this] { flushes_ += 10; }).ok());
  wait_for(11);
}

TEST_F(FlushSignalTest, LeavesASignalToTheProgramThatHasAHandler) {
  static std::atomic<int> theirs{0};
  signal(SIGUSR2, [](int) { ++theirs; });

  const Status status = flush_signal_.start("USR2", [this] { ++flushes_; });

  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(),
            "LOCKSTEP_SIGNAL=USR2: the program has a handler for that signal, so it will not write "
            "the recording; name another one");
  raise(SIGUSR2);
  EXPECT_EQ(theirs, 1);
}

TEST_F(FlushSignalTest, LeavesASignalThatTheProgramIgnores) {
  signal(SIGUSR1, SIG_IGN);

  const Status status = flush_signal_.start("USR1", [this] { ++flushes_; });

  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.message().find("ignores that signal"), std::string::npos);
  raise(SIGUSR1);
}

TEST_F(FlushSignalTest, AChildDoesNotWakeItsParent) {
  ASSERT_TRUE(flush_signal_.start("USR1", [this] { ++flushes_; }).ok());
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGUSR1);
    _exit(0);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  raise(SIGUSR1);
  wait_for(1);
  flush_signal_.stop();
  EXPECT_EQ(flushes_, 1);
}

TEST_F(FlushSignalTest, DoesNothingWithoutAName) {
  ASSERT_TRUE(flush_signal_.start("", [this] { ++flushes_; }).ok());
  struct sigaction now {};
  sigaction(SIGUSR1, nullptr, &now);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

}  // namespace
}  // namespace lockstep::plugin
