#include "cli/capture/capture_rules.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

// A process with one rank of `world`, which has called so many collectives.
ProcessLook process(const std::string& host, uint32_t pid, int64_t rank, uint64_t position) {
  ProcessLook look;
  look.host = host;
  look.pid = pid;
  look.answered = true;
  look.members = {{"0xa1", "world", rank, 2, position}};
  return look;
}

TEST(PositionRules, AllBeginWithTheSameCollectiveBeyondTheFirstOfThem) {
  const std::vector<ProcessLook> before = {process("n1", 1, 0, 900), process("n2", 2, 1, 1000)};
  const std::vector<ProcessLook> now = {process("n1", 1, 0, 1000), process("n2", 2, 1, 1100)};

  const auto rules = position_rules({before, now, 0.5}, {{}, 2, 1});

  // 200 a second: 1100, as many as are called while it is armed for a second, and sixteen more.
  ASSERT_TRUE(rules.ok()) << rules.message();
  EXPECT_EQ(rules_text(rules.value()), "position:0xa1:1316:400");
  EXPECT_EQ(rules.value().size(), 2u);
}

TEST(PositionRules, AJobThatStandsIsArmedByCountAndNotByTime) {
  const std::vector<ProcessLook> now = {process("n1", 1, 0, 1000)};

  EXPECT_EQ(rules_text(position_rules({now, now, 0.5}, {10, 0, 1}).value()),
            "position:0xa1:1016:10");
  EXPECT_EQ(position_rules({now, now, 0.5}, {{}, 2, 1}).message(),
            "no collective was called while the job was watched");
}

TEST(PositionRules, AProcessIsCapturedByTheLargestCommunicatorThatItIsIn) {
  std::vector<ProcessLook> now = {process("n1", 1, 0, 100), process("n1", 2, 1, 100)};
  now[0].members.insert(now[0].members.begin(), {"0xb2", "small", 0, 1, 7000});
  ProcessLook alone = process("n2", 3, 0, 0);
  alone.members = {{"0xc3", "", 5, 1, 40}};
  now.push_back(alone);

  const Rules rules = position_rules({now, now, 0.5}, {10, 0, 1}).value();

  EXPECT_EQ(rules.at({"n1", 1}), "position:0xa1:116:10");
  EXPECT_EQ(rules.at({"n1", 2}), "position:0xa1:116:10");
  EXPECT_EQ(rules.at({"n2", 3}), "position:0xc3:56:10");
}

TEST(PositionRules, ProcessesOfAnEarlierLockstepHaveNone) {
  std::vector<ProcessLook> now = {process("n1", 1, 0, 100)};
  now[0].members[0].position.reset();

  EXPECT_EQ(position_rules({now, now, 0.5}, {10, 0, 1}).message(),
            "no process that answers says how many collectives it has called");
}

TEST(CaptureScope, ARankIsThatOfTheLargestCommunicator) {
  const std::vector<ProcessLook> all = {process("n1", 1, 0, 100), process("n2", 2, 1, 100)};
  const CommChoice choice(all);

  EXPECT_TRUE((CaptureScope{{{1, 1}}, {}}.has(all[1], choice)));
  EXPECT_FALSE((CaptureScope{{{1, 1}}, {}}.has(all[0], choice)));
  EXPECT_FALSE((CaptureScope{{}, {"n2"}}.has(all[0], choice)));
}

TEST(CaptureRequests, AProcessIsNamedUnderItsRule) {
  const Rules rules = {{{"n1", 1}, "step:5:2"}, {{"n1", 2}, "step:5:2"}, {{"n2", 7}, "step:6:2"}};

  EXPECT_EQ(capture_requests(rules, "arm x by=% limit_ms=1"),
            R"({"requests":[{"request":"arm x by=step:5:2 limit_ms=1","only":{"n1":[1,2]}},)"
            R"({"request":"arm x by=step:6:2 limit_ms=1","only":{"n2":[7]}}]})");
}

}  // namespace
}  // namespace lockstep::cli
