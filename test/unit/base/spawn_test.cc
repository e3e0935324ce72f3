#include "base/spawn.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

namespace lockstep {
namespace {

TEST(SpawnTest, EndsTheArgumentsWithANullPointer) {
  const std::vector<std::string> words = {"echo", ""};
  const std::vector<char*> arguments = argument_vector(words);
  ASSERT_EQ(arguments.size(), 3u);
  EXPECT_STREQ(arguments[1], "");
  EXPECT_EQ(arguments[2], nullptr);
}

TEST(SpawnTest, HandsOutputToTheDescriptorAndNothingAsInput) {
  std::array<int, 2> pipe_ends{};
  ASSERT_EQ(pipe(pipe_ends.data()), 0);
  pid_t child = -1;
  ASSERT_EQ(spawn({"sh", "-c", "cat; echo said; echo lost >&2"}, pipe_ends[1], -1, &child), 0);
  close(pipe_ends[1]);
  std::string output(64, '\0');
  output.resize(static_cast<size_t>(read(pipe_ends[0], output.data(), output.size())));
  close(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  EXPECT_EQ(output, "said\n");
}

TEST(SpawnTest, BlocksNoSignalInTheChild) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ASSERT_EQ(pthread_sigmask(SIG_BLOCK, &blocked, &before), 0);
  pid_t child = -1;
  const int failed = spawn({"sh", "-c", "kill -TERM $$; exit 0"}, -1, -1, &child);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_EQ(failed, 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status)) << "it was not ended by its own signal";
}

TEST(SpawnTest, SaysThatThereIsNoSuchProgram) {
  pid_t child = -1;
  const int failed = spawn({"lockstep-no-such-program"}, -1, -1, &child);
  if (failed == 0) {  // only the child learned it
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), kNoProgram);
  } else {
    EXPECT_EQ(failed, ENOENT);
  }
}

}  // namespace
}  // namespace lockstep
