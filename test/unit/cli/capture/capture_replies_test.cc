#include "cli/capture/capture_replies.h"

#include <gtest/gtest.h>

#include "cli/capture/capture_text.h"

namespace lockstep::cli {
namespace {

using dumper::CaptureState;

const Rules kRules = {{{"n1", 1}, "position:0xa1:50:10"},
                      {{"n1", 2}, "position:0xa1:50:10"},
                      {{"n2", 3}, "position:0xa1:50:10"}};

std::string row(const std::string& host, int pid, const std::string& answer) {
  return "{\"host\":\"" + host + "\",\"pid\":" + std::to_string(pid) +
         ",\"real_offset_ns\":0,\"answer\":" + answer + "}";
}
std::string said(const std::string& state, const std::string& more) {
  return R"({"capture":"c1","state":")" + state + "\"" + more + "}";
}
live::Answers of_hosts(const std::vector<live::HostRows>& hosts) {
  live::Answers answers;
  answers.hosts = hosts;
  return answers;
}

TEST(CaptureReplies, ALateRankIsNamedWithWhatItWasLateFor) {
  CaptureReplies replies("c1", kRules);

  replies.heard_arming(of_hosts(
      {{"n1", "[" + row("n1", 1, said("armed", "")) + "," + row("n1", 2, said("late", "")) + "]"},
       {"n2", "[" + row("n2", 3, said("armed", "")) + "]"}}));

  EXPECT_EQ(replies.armed(), 2u);
  EXPECT_EQ(replies.late(), 1u);
  dumper::Capture capture;
  replies.fill({}, &capture);
  EXPECT_EQ(capture.ranks[1].state, CaptureState::Late);
  EXPECT_EQ(missing_ranks(capture)[1],
            "rank -1 of n1, process 2, was beyond position 50 when it was armed");
}

TEST(CaptureReplies, AProcessThatItsHostNoLongerHasIsDead) {
  CaptureReplies replies("c1", kRules);
  const live::HostRows second = {"n2", "[" + row("n2", 3, said("armed", "")) + "]"};
  replies.heard_arming(of_hosts(
      {{"n1", "[" + row("n1", 1, said("armed", "")) + "," + row("n1", 2, said("armed", "")) + "]"},
       second}));

  replies.heard_status(of_hosts({{"n1", "[" + row("n1", 1, said("armed", "")) + "]"}, second}));

  EXPECT_EQ(replies.replies().at({"n1", 2}).state, CaptureState::Dead);
  EXPECT_FALSE(replies.all_final());
}

TEST(CaptureReplies, AHostThatFallsSilentIsDeafAndNotDead) {
  CaptureReplies replies("c1", kRules);
  const live::HostRows first = {
      "n1", "[" + row("n1", 1, said("armed", "")) + "," + row("n1", 2, said("armed", "")) + "]"};

  replies.heard_arming(of_hosts({first}));

  dumper::Capture capture;
  replies.fill({}, &capture);
  EXPECT_EQ(capture.ranks[2].host, "n2");
  EXPECT_EQ(capture.ranks[2].state, CaptureState::Deaf);
}

TEST(CaptureReplies, OneThatWasCancelledBeforeItBeganNeverCameThere) {
  CaptureReplies replies("c1", {{{"n1", 1}, "position:0xa1:50:10"}});
  replies.heard_arming(of_hosts({{"n1", "[" + row("n1", 1, said("armed", "")) + "]"}}));

  replies.heard_status(of_hosts({{"n1", "[" + row("n1", 1, said("cancelled", "")) + "]"}}));

  EXPECT_TRUE(replies.all_final());
  EXPECT_EQ(replies.replies().at({"n1", 1}).state, CaptureState::Armed);
}

TEST(CaptureReplies, WhatTheProcessesSpentIsAddedUp) {
  CaptureReplies replies("c1", {{{"n1", 1}, "step:5:2"}, {{"n1", 2}, "step:5:2"}});
  const std::string armed =
      "[" + row("n1", 1, said("armed", "")) + "," + row("n1", 2, said("armed", "")) + "]";
  const std::string sums =
      R"(,"start_position":5,"start_ns":100,"stop_ns":200,"events_before":"Coll","events_after":"Coll",)"
      R"("bytes":10,"records":3,"calls_not_recorded":1,"overhead_ns":7)";
  replies.heard_arming(of_hosts({{"n1", armed}}));
  replies.heard_status(of_hosts({{"n1", "[" + row("n1", 1, said("stopped", sums)) + "," +
                                            row("n1", 2, said("stopped", sums)) + "]"}}));

  dumper::Capture capture;
  replies.fill({}, &capture);

  EXPECT_EQ(capture.bytes, 20u);
  EXPECT_EQ(capture.cost.records, 6u);
  EXPECT_EQ(capture.cost.overhead_ns, 14u);
  EXPECT_EQ(capture.cost.calls_not_recorded, 2u);
  EXPECT_EQ(capture.events_before, "Coll");
  EXPECT_EQ(capture.ranks[0].position, 5u);
}

TEST(CaptureReplies, AnAnswerAboutAnotherCaptureIsNone) {
  CaptureReplies replies("c1", {{{"n1", 1}, "step:5:2"}});

  replies.heard_arming(
      of_hosts({{"n1", "[" + row("n1", 1, R"({"error":"capture c0 is armed already"})") + "]"}}));

  EXPECT_EQ(replies.armed(), 0u);
  EXPECT_EQ(replies.refusals(),
            std::vector<std::string>{"n1 process 1: it says: capture c0 is armed already"});
}

}  // namespace
}  // namespace lockstep::cli
