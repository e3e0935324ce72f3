#include "plugin/process/trace_permit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <vector>

#include "test/unit/durations.h"

namespace lockstep::plugin {
namespace {

// Stands in for the kernel: which process may trace, as prctl(PR_SET_PTRACER) set it.
class TracePermitTest : public testing::Test {
 protected:
  TracePermit permit_for(bool allowed) {
    return TracePermit(
        allowed,
        [this](pid_t pid) {
          if (refusal_ == 0) tracers_.push_back(pid);
          return refusal_;
        },
        [this](const std::string& note) { notes_.push_back(note); });
  }

  std::vector<pid_t> tracers_;
  std::vector<std::string> notes_;
  int refusal_ = 0;
};

TEST_F(TracePermitTest, LetsTheAskerTraceForTenSecondsAndTakesTheRightBack) {
  TracePermit permit = permit_for(true);

  ASSERT_TRUE(permit.grant(4711, "us", 5 * kSecond).ok());
  EXPECT_EQ(permit.check(5 * kSecond), 10000);
  EXPECT_EQ(permit.check(15 * kSecond - 1), 1);
  EXPECT_EQ(tracers_, std::vector<pid_t>{4711});

  EXPECT_EQ(permit.check(15 * kSecond), -1);
  EXPECT_EQ(tracers_, (std::vector<pid_t>{4711, 0}));
}

TEST_F(TracePermitTest, IsNotExtendedByAskingAgain) {
  TracePermit permit = permit_for(true);
  ASSERT_TRUE(permit.grant(4711, "us", 0).ok());

  ASSERT_TRUE(permit.grant(4711, "us", 9 * kSecond).ok());
  EXPECT_EQ(permit.left_ns(9 * kSecond), kSecond);
  EXPECT_EQ(permit.check(10 * kSecond), -1);
  EXPECT_EQ(tracers_, (std::vector<pid_t>{4711, 0}));
}

TEST_F(TracePermitTest, HasOneHolderAtATime) {
  TracePermit permit = permit_for(true);
  ASSERT_TRUE(permit.grant(4711, "us", 0).ok());

  EXPECT_FALSE(permit.grant(4712, "us", kSecond).ok());
  EXPECT_EQ(tracers_, std::vector<pid_t>{4711});
  EXPECT_TRUE(permit.grant(4712, "us", 10 * kSecond).ok());
  EXPECT_EQ(tracers_, (std::vector<pid_t>{4711, 0, 4712}));
}

TEST_F(TracePermitTest, RefusesWhomTheKernelDoesNotName) {
  TracePermit permit = permit_for(true);

  EXPECT_FALSE(permit.grant(0, "us", 0).ok());
  EXPECT_FALSE(permit.grant(-1, "us", 0).ok());  // PR_SET_PTRACER_ANY, had it been passed on
  EXPECT_TRUE(tracers_.empty());
  EXPECT_TRUE(notes_.empty());
}

TEST_F(TracePermitTest, RefusesWhereTheUserForbidsIt) {
  TracePermit permit = permit_for(false);

  const Status refused = permit.grant(4711, "us", 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.message().find("LOCKSTEP_STACKS=0"), std::string::npos);
  EXPECT_TRUE(tracers_.empty());
}

TEST_F(TracePermitTest, NotesEachGrantAndNoRefusal) {
  TracePermit permit = permit_for(true);
  ASSERT_TRUE(permit.grant(4711, "us", 0).ok());
  ASSERT_TRUE(permit.grant(4711, "us", kSecond).ok());
  ASSERT_FALSE(permit.grant(4712, "us", kSecond).ok());

  ASSERT_EQ(notes_.size(), 1u);
  EXPECT_EQ(notes_[0], "process 4711 may read this process's stacks for 10 s, granted by us");
}

TEST_F(TracePermitTest, SaysThatAKernelWithoutYamaHasNothingToGive) {
  refusal_ = EINVAL;
  TracePermit permit = permit_for(true);

  const Status refused = permit.grant(4711, "us", 0);
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.message().find("no Yama"), std::string::npos);
  EXPECT_EQ(permit.check(0), -1);
  EXPECT_TRUE(notes_.empty());
}

TEST_F(TracePermitTest, TakesTheRightBackWhenItGoes) {
  { ASSERT_TRUE(permit_for(true).grant(4711, "us", 0).ok()); }
  EXPECT_EQ(tracers_, (std::vector<pid_t>{4711, 0}));
}

// The real call: a kernel without Yama refuses it as an unknown one.
TEST(TracePermit, AsksTheKernel) {
  const int error = TracePermit::set_tracer(getpid());
  EXPECT_TRUE(error == 0 || error == EINVAL) << error;
  TracePermit::set_tracer(0);
}

}  // namespace
}  // namespace lockstep::plugin
