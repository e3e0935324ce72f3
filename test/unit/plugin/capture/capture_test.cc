// Captures in a time of the test's own; the marks and calls are real ones.
#include "plugin/capture/capture.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugin/record/recorder.h"
#include "test/unit/durations.h"

namespace lockstep::plugin {
namespace {

constexpr int64_t kWall = 1'700'000'000 * kSecond;
constexpr uint32_t kBefore = 0xa02;  // Coll, CollApi, KernelLaunch
constexpr uint32_t kStep = 0x7f5f;   // the preset

class CapturesTest : public testing::Test {
 protected:
  CapturesTest() {
    capture_watch.clear(1);  // the program may begin captures at once
    events_.prepare(
        {kBefore}, 0xffff, [this](const std::string& note) { notes_.push_back(note); },
        [](uint32_t) {});
    events_.begin(&mask_);
    captures_.open_to_program();
  }
  ~CapturesTest() override {
    captures_.end(at(1000 * kSecond));
    events_.end();
    recorder.gate.store(0);
    recorder.watched.store(0);
  }

  CaptureSurroundings surroundings() {
    CaptureSurroundings made;
    made.comm_of = [](uint64_t id) {
      return id == 0xabc ? std::optional<uint32_t>(3) : std::nullopt;
    };
    made.watch_calls = [this](uint32_t comm) -> Result<uint64_t> {
      capture_watch.arm_position(comm, 0);
      return calls_before_;
    };
    made.costs = [this] { return costs_; };
    made.raw_ns = [](uint64_t ticks) { return static_cast<int64_t>(ticks); };
    made.ticks_in = [](int64_t) { return uint64_t{1} << 50; };
    made.wall_bound_ns = [] { return std::optional<int64_t>(4000); };
    return made;
  }
  // So long after the test began.
  static Captures::Now at(int64_t ns) { return {5 * kSecond + ns, kWall + ns}; }
  std::string ask(const std::string& words, int64_t at_ns = 0) {
    return captures_.answer(words, "us@n1", at(at_ns));
  }
  void call(int times) {
    for (int i = 0; i < times; ++i) capture_watch.call(3, ++ticks_);
  }
  std::string state(int64_t at_ns = 0) {
    const std::string text = ask("status", at_ns);
    const size_t from = text.find("\"state\":\"") + 9;
    return text.substr(from, text.find('"', from) - from);
  }
  bool is_wide() const { return mask_ == static_cast<int32_t>(kBefore | kStep); }
  bool is_as_before() const { return mask_ == static_cast<int32_t>(kBefore); }

  EventSwitch events_;
  std::vector<std::string> notes_;
  int32_t mask_ = 0;
  uint64_t ticks_ = 100, calls_before_ = 40;
  CaptureCosts costs_;
  Captures captures_{events_, surroundings(), kStep};
};

TEST_F(CapturesTest, ThereAreNoneInTheBeginning) {
  EXPECT_EQ(ask("status"), "{\"capture\":null,\"state\":\"none\"}");
  EXPECT_NE(ask("status c1").find("there was no capture"), std::string::npos);
  EXPECT_EQ(captures_.look(at(0)), kSecond) << "nothing to wait for";
}

TEST_F(CapturesTest, ByPositionCountTheCallsOfBeforeAndNoteBothEnds) {
  EXPECT_EQ(ask("arm c1 kinds=step by=position:0xabc:43:2"),
            "{\"capture\":\"c1\",\"state\":\"armed\",\"rule\":\"position:0xabc:43:2\","
            "\"position\":40,\"bound_ns\":0}");
  call(2);  // 41, 42
  EXPECT_TRUE(is_wide()) << "for 43";
  EXPECT_EQ(state(), "armed");
  call(2);
  EXPECT_TRUE(mask_ & 0x200);
  EXPECT_FALSE(is_wide()) << "for 45";
  EXPECT_EQ(state(), "started");
  call(1);
  costs_.records = 10;
  captures_.look(at(kMs));
  costs_.records = 99;
  EXPECT_EQ(state(kMs), "stopped");
  EXPECT_TRUE(is_as_before());
  ASSERT_EQ(notes_.size(), 2u);
  EXPECT_NE(notes_[0].find("capture c1 started at position 43, raw_ns 103, by position:0xabc:43:2, "
                           "asked for by us@n1; recorded from here on: "),
            std::string::npos)
      << notes_[0];
  EXPECT_NE(notes_[1].find("capture c1 stopped at position 45, raw_ns 105; recorded from here on: "
                           "Coll,CollApi,KernelLaunch"),
            std::string::npos)
      << notes_[1];
  const std::string told = ask("status c1", 2 * kMs);
  EXPECT_NE(
      told.find("\"start_position\":43,\"stop_position\":45,\"start_ns\":103,\"stop_ns\":105"),
      std::string::npos)
      << told;
  EXPECT_NE(told.find("\"records\":10,"), std::string::npos) << "between both ends: " << told;
}

TEST_F(CapturesTest, AreLateFromTheCallOnThatWouldWidenTheMask) {
  EXPECT_NE(ask("arm c1 kinds=step by=position:abc:42:2").find("\"armed\""), std::string::npos);
  ask("cancel c1");
  EXPECT_NE(ask("arm c2 kinds=step by=position:abc:41:2").find("\"late\""), std::string::npos);
  call(3);
  EXPECT_TRUE(is_as_before());
  EXPECT_NE(ask("arm c3 kinds=step by=position:abc:99:2").find("\"armed\""), std::string::npos)
      << "one that is late is in nobody's way";
}

TEST_F(CapturesTest, AreOneAtATime) {
  ask("arm c1 kinds=step by=step:next:1");
  const std::string refused = ask("arm c2 kinds=step by=step:next:1");
  EXPECT_NE(refused.find("capture c1 is armed already"), std::string::npos) << refused;
  EXPECT_NE(refused.find("\"capture\":\"c1\""), std::string::npos) << refused;
  EXPECT_NE(ask("cancel c2").find("\"error\""), std::string::npos);
  EXPECT_NE(ask("cancel c1").find("\"cancelled\""), std::string::npos);
  EXPECT_NE(ask("arm c2 kinds=step by=step:next:1").find("\"armed\""), std::string::npos);
}

TEST_F(CapturesTest, ByInstantStartAndStopByTheWallClock) {
  const std::string armed =
      ask("arm c1 kinds=step by=instant:" + std::to_string(kWall + 2 * kSecond) + ":500000000");
  EXPECT_NE(armed.find("\"position\":null,\"bound_ns\":4000,\"clock\":\"wall\""), std::string::npos)
      << armed;
  EXPECT_EQ(captures_.look(at(1999 * kMs)), kMs) << "and wants to be called then";
  EXPECT_TRUE(is_as_before());
  EXPECT_EQ(captures_.look(at(2 * kSecond)), 500 * kMs);
  EXPECT_TRUE(is_wide());
  captures_.look(at(2499 * kMs));
  EXPECT_TRUE(is_wide());
  captures_.look(at(2500 * kMs));
  EXPECT_TRUE(is_as_before());
  EXPECT_EQ(state(2500 * kMs), "stopped");
}

TEST_F(CapturesTest, ByAnInstantThatHasPassedAreLate) {
  EXPECT_NE(ask("arm c1 kinds=step by=instant:" + std::to_string(kWall - 1) + ":500000000")
                .find("\"late\""),
            std::string::npos);
  captures_.look(at(kSecond));
  EXPECT_TRUE(is_as_before());
}

TEST_F(CapturesTest, EndByTheirLimitWhateverBecameOfTheAsker) {
  ask("arm c1 kinds=step by=step:next:1000 limit_ms=3000");
  captures_.look(at(2999 * kMs));
  EXPECT_EQ(state(2999 * kMs), "armed");
  capture_watch.step_begin(1);
  captures_.look(at(2999 * kMs));
  EXPECT_TRUE(is_wide());
  captures_.look(at(3 * kSecond));
  EXPECT_TRUE(is_as_before());
  EXPECT_NE(ask("status c1").find("\"state\":\"stopped\""), std::string::npos);
  EXPECT_NE(ask("status c1").find("\"stop_position\":null"), std::string::npos);
  EXPECT_NE(notes_.back().find("capture c1 stopped before its end"), std::string::npos);

  ask("arm c2 kinds=step by=step:next:1 limit_ms=3000");
  captures_.look(at(3 * kSecond));
  EXPECT_EQ(state(), "cancelled");
  EXPECT_NE(notes_.back().find("capture c2 was cancelled before it started"), std::string::npos);
}

TEST_F(CapturesTest, RecordWhatComesLateForFiveSeconds) {
  const auto gate_kinds = [] {
    return static_cast<uint32_t>(recorder.gate.load() >> Recorder::kEnabledShift) & 0xffff;
  };
  ask("arm c1 kinds=step by=step:next:1");
  capture_watch.step_begin(1);
  capture_watch.step_end(1);
  captures_.look(at(kSecond));
  EXPECT_TRUE(is_as_before());
  EXPECT_EQ(gate_kinds(), kBefore | kStep);
  captures_.look(at(kSecond + Captures::kLateNs - 1));
  EXPECT_EQ(gate_kinds(), kBefore | kStep);
  captures_.look(at(kSecond + Captures::kLateNs));
  EXPECT_EQ(gate_kinds(), kBefore);
}

TEST_F(CapturesTest, AreBegunByTheProgramToo) {
  EXPECT_TRUE(capture_watch.capture_start());
  EXPECT_TRUE(is_wide());
  captures_.look(at(kMs));
  EXPECT_NE(
      ask("status").find("\"capture\":\"program-1\",\"state\":\"started\",\"rule\":\"program\""),
      std::string::npos)
      << ask("status");
  EXPECT_NE(ask("arm c1 kinds=step by=step:next:1").find("program-1 is started already"),
            std::string::npos);
  EXPECT_TRUE(capture_watch.capture_stop());
  captures_.look(at(2 * kMs));
  EXPECT_TRUE(is_as_before());
  EXPECT_FALSE(capture_watch.capture_start()) << "so soon again";
}

TEST_F(CapturesTest, ThatTheProgramForgetsToStopEndByTheLimit) {
  EXPECT_TRUE(capture_watch.capture_start());
  captures_.look(at(0));
  captures_.look(at(60 * kSecond));
  EXPECT_TRUE(is_as_before());
  EXPECT_EQ(state(), "stopped");
}

class CaptureCycleTest : public CapturesTest {
 protected:
  // kWall is a multiple of ten seconds.
  CaptureCycleTest() {
    const Result<CaptureCycle> cycle = parse_capture_cycle("10s:500ms");
    EXPECT_TRUE(cycle.ok()) << cycle.message();
    captures_.set_cycle(cycle.value(), at(3 * kSecond));
  }
};

TEST_F(CaptureCycleTest, OpensAWindowAtEachMultipleOfThePeriod) {
  EXPECT_EQ(captures_.look(at(9990 * kMs)), 10 * kMs);
  EXPECT_TRUE(is_as_before());
  for (int64_t ten = 10 * kSecond; ten < 40 * kSecond; ten += 10 * kSecond) {
    EXPECT_EQ(captures_.look(at(ten + kMs)), 499 * kMs) << "late by a millisecond, it ends in time";
    EXPECT_TRUE(is_wide());
    captures_.look(at(ten + 500 * kMs));
    EXPECT_TRUE(is_as_before());
  }
  ASSERT_EQ(notes_.size(), 6u);
  EXPECT_NE(notes_[2].find("capture every-1700000020 started, raw_ns "), std::string::npos)
      << notes_[2];
  EXPECT_NE(notes_[2].find("by every:10s:500ms, asked for by LOCKSTEP_CAPTURE_EVERY"),
            std::string::npos)
      << notes_[2];
}

TEST_F(CaptureCycleTest, LeavesOutAWindowThatNobodyLookedAt) {
  captures_.look(at(10501 * kMs));
  EXPECT_TRUE(is_as_before());
  captures_.look(at(20 * kSecond));
  EXPECT_TRUE(is_wide());
}

TEST_F(CaptureCycleTest, GivesWayToACaptureThatSomebodyAsksFor) {
  captures_.look(at(10 * kSecond));
  EXPECT_NE(ask("arm c1 kinds=step by=step:next:1", 10 * kSecond).find("\"armed\""),
            std::string::npos);
  EXPECT_TRUE(is_as_before()) << "the window has ended";
  captures_.look(at(20 * kSecond));
  EXPECT_TRUE(is_as_before()) << "c1 is armed";
  capture_watch.step_begin(1);
  capture_watch.step_end(1);
  captures_.look(at(21 * kSecond));
  captures_.look(at(30 * kSecond));
  EXPECT_TRUE(is_wide());
  EXPECT_NE(ask("status c1", 30 * kSecond).find("\"state\":\"stopped\""), std::string::npos);
  EXPECT_NE(ask("status", 30 * kSecond).find("\"capture\":\"c1\""), std::string::npos);
  EXPECT_NE(ask("cancel c1", 30 * kSecond).find("\"capture\":\"c1\""), std::string::npos);
  EXPECT_TRUE(is_wide()) << "the window goes on";
}

TEST_F(CaptureCycleTest, StopsNotingBeforeTheLedgerIsFull) {
  for (int64_t ten = 1; ten < 400; ++ten) {
    captures_.look(at(ten * 10 * kSecond));
    ASSERT_TRUE(is_wide());
    captures_.look(at(ten * 10 * kSecond + 500 * kMs));
    ASSERT_TRUE(is_as_before());
  }
  ASSERT_EQ(notes_.size(), 2 * Captures::kNotedWindows + 1);
  EXPECT_NE(notes_.back().find("further windows of every:10s:500ms have no notes"),
            std::string::npos);
}

TEST(CaptureCycle, IsAPeriodAndAShorterWindow) {
  EXPECT_EQ(parse_capture_cycle("60s:2s").value().every_ns, 60 * kSecond);
  EXPECT_EQ(parse_capture_cycle("60s:2s").value().lasts_ns, 2 * kSecond);
  EXPECT_EQ(parse_capture_cycle("").value().every_ns, 0);
  for (const char* text : {"60s", "60:2", "2s:2s", "500ms:10ms", "60s:9ms", "60s:", ":2s",
                           "-60s:2s", "100000s:2s", "60s:2s:1s"})
    EXPECT_FALSE(parse_capture_cycle(text).ok()) << text;
}

TEST_F(CapturesTest, LeaveNothingWhenTheRecordingEnds) {
  ask("arm c1 kinds=step by=step:next:100");
  capture_watch.step_begin(1);
  captures_.end(at(kSecond));
  EXPECT_TRUE(is_as_before());
  EXPECT_EQ(capture_watch.phase(), CapturePhase::None);
  EXPECT_EQ(recorder.gate.load() & Recorder::kTakesStarts, uint64_t{kBefore});
}

TEST_F(CapturesTest, ByPositionNeedEveryCallRecordedFromTheBeginning) {
  events_.set_kinds({0}, "a test");
  events_.set_kinds({kBefore}, "a test");
  EXPECT_NE(ask("arm c1 kinds=step by=position:abc:99:2").find("has not recorded every call"),
            std::string::npos);
  EXPECT_NE(ask("arm c1 kinds=step by=step:next:1").find("\"armed\""), std::string::npos);
}

TEST_F(CapturesTest, RefuseWhatTheyDoNotUnderstandInASentence) {
  for (const char* words :
       {"arm", "arm c!1 kinds=step by=step:next:1", "arm c1", "arm c1 kinds=step",
        "arm c1 kinds=x by=step:next:1", "arm c1 kinds=step by=step:next:0",
        "arm c1 kinds=step by=position:abc:0:1", "arm c1 kinds=step by=position:xyz:1:1",
        "arm c1 kinds=step by=position:abc:1", "arm c1 kinds=step by=instant:1:0",
        "arm c1 kinds=step by=step:next:1 limit_ms=0", "arm c1 kinds=step by=step:next:1 now",
        "arm c1 kinds=step by=step:next:1 limit_ms=600001",
        "arm c1 kinds=step by=position:abd:99:1", "shoot", "cancel", ""})
    EXPECT_EQ(ask(words).find("{\"error\":\""), 0u) << words << ": " << ask(words);
  EXPECT_EQ(capture_watch.phase(), CapturePhase::None);
  EXPECT_TRUE(is_as_before());
}

}  // namespace
}  // namespace lockstep::plugin
