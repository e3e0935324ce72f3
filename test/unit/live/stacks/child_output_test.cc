#include "live/stacks/child_output.h"

#include <gtest/gtest.h>

namespace lockstep::live {
namespace {

constexpr int64_t kPatienceNs = 60'000'000'000;  // bounds a hang

TEST(ChildOutput, KeepsWhatIsPrintedApart) {
  const auto said =
      run_and_read({"sh", "-c", "echo out; echo err >&2; cat; exit 3"}, kPatienceNs, 100);
  ASSERT_TRUE(said.ok()) << said.message();
  EXPECT_EQ(said.value().output, "out\n");
  EXPECT_EQ(said.value().error, "err\n");
  EXPECT_EQ(said.value().code, 3);
}

TEST(ChildOutput, TellsOfASignalAsAShellDoes) {
  EXPECT_EQ(run_and_read({"sh", "-c", "kill -KILL $$"}, kPatienceNs, 100).value().code, 137);
}

TEST(ChildOutput, SaysThatThereIsNoSuchProgram) {
  EXPECT_EQ(run_and_read({"no-such-program"}, kPatienceNs, 100).message(), "it is not in PATH");
  // So ends a child in which posix_spawn has found it out.
  EXPECT_EQ(run_and_read({"sh", "-c", "exit 127"}, kPatienceNs, 100).message(),
            "it is not in PATH");
  EXPECT_EQ(run_and_read({"sh", "-c", "echo e >&2; exit 127"}, kPatienceNs, 100).value().code, 127);
}

TEST(ChildOutput, EndsAProgramThatPrintsTooMuch) {
  EXPECT_EQ(run_and_read({"sh", "-c", "while :; do echo line; done"}, kPatienceNs, 1000).message(),
            "it printed more than 1000 bytes and was ended");
}

TEST(ChildOutput, ReadsMoreThanAPipeHolds) {
  const auto said = run_and_read({"head", "-c", "1000000", "/dev/zero"}, kPatienceNs, 1 << 20);
  ASSERT_TRUE(said.ok()) << said.message();
  EXPECT_EQ(said.value().output.size(), 1'000'000U);
}

}  // namespace
}  // namespace lockstep::live
