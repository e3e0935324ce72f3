#include "live/asker/ask_all.h"

#include <gtest/gtest.h>

#include "base/clock_ns.h"

namespace lockstep::live {
namespace {

AskTerms soon() {
  AskTerms terms;
  terms.deadline_ns = mono_now_ns() + 60'000'000'000;  // only bounds a hang
  return terms;
}

Targets two_hosts() {
  Targets targets;
  Target here;
  here.host = "a-host-of-nobody";
  Target gone;
  gone.host = "gone";
  gone.way = Target::Way::Unreachable;
  gone.reason = "no agent";
  targets.hosts = {here, gone};
  return targets;
}

TEST(AskAll, WhoCannotBeReachedIsNamedBesideWhatOthersSaid) {
  const Answers answers = ask_all(two_hosts(), {"ps", "{}", ""}, soon(), nullptr);
  EXPECT_EQ(answers.hosts_asked, 2u);
  EXPECT_EQ(answers.hosts_answered, 1u);
  ASSERT_EQ(answers.failed.size(), 1u);
  EXPECT_EQ(answers.failed[0].host, "gone");
  EXPECT_EQ(answers.failed[0].reason, "no agent");
  ASSERT_EQ(answers.hosts.size(), 1u);
  EXPECT_EQ(answers.hosts[0].rows, "[]");
}

TEST(AskAll, AQuestionThatNobodyKnowsIsAnsweredWithThoseThatAre) {
  const Answers answers = ask_all(two_hosts(), {"nonsense", "{}", ""}, soon(), nullptr);
  EXPECT_EQ(answers.hosts_answered, 0u);
  ASSERT_EQ(answers.failed.size(), 2u);
  EXPECT_NE(answers.failed[0].reason.find("'nonsense', only ps, "), std::string::npos)
      << answers.failed[0].reason;
}

TEST(AskAll, AfterTheDeadlineEverybodyIsLate) {
  AskTerms terms;
  terms.deadline_ns = mono_now_ns() - 1;
  Targets targets;
  Target slow;
  slow.host = "slow";
  slow.way = Target::Way::Agent;
  slow.agent.address = "192.0.2.1";  // of documentation: nobody is there
  slow.agent.port = 9;
  targets.hosts = {slow};
  clocksync::SecretKey key{};
  targets.key = derive_live_key(key);
  const Answers answers = ask_all(targets, {"ps", "{}", ""}, terms, nullptr);
  EXPECT_EQ(answers.hosts_answered, 0u);
  EXPECT_EQ(answers.failed.size(), 1u);
}

}  // namespace
}  // namespace lockstep::live
