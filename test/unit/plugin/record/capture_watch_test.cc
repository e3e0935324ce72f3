// The switching on NCCL's threads, and what EventSwitch makes of it.
#include "plugin/record/capture_watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/kind_mask.h"
#include "plugin/record/event_switch.h"
#include "plugin/record/recorder.h"

namespace lockstep::plugin {
namespace {

constexpr uint32_t kCollApi = kind_bit(Kind::CollApi);
constexpr uint32_t kBefore = 0x2 | kCollApi, kDeep = 0x58;

class CaptureWatchTest : public testing::Test {
 protected:
  CaptureWatchTest() {
    capture_watch.clear(1);  // the program may begin captures at once
    events_.prepare(
        {kBefore}, 0xffff, [](const std::string&) {}, [](uint32_t) {});
    events_.begin(&mask_);
  }
  ~CaptureWatchTest() override {
    capture_watch.clear(0);
    events_.set_captured(0, 0);
    events_.end();
    recorder.gate.store(0);
    recorder.watched.store(0);
  }
  // Calls of communicator 7, one after the other.
  void call(int times) {
    for (int i = 0; i < times; ++i) capture_watch.call(7, ++ticks_);
  }
  uint32_t gate_kinds() const {
    return static_cast<uint32_t>(recorder.gate.load() >> Recorder::kEnabledShift) & 0xffff;
  }
  void arm(uint64_t open_at, uint64_t count) {
    events_.set_captured(kDeep, kCollApi);
    ASSERT_TRUE(capture_watch.arm_position(7, ticks_ + 1));
    ASSERT_TRUE(capture_watch.open_after(open_at, count));
  }

  EventSwitch events_;
  int32_t mask_ = 0;
  uint64_t ticks_ = 100;
};

TEST_F(CaptureWatchTest, WidensTheMaskInTheCallBeforeTheFirstAndNarrowsItInTheLast) {
  arm(3, 2);
  call(2);
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore));
  call(1);
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore | kDeep)) << "what NCCL reads in the fourth call";
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Open);
  call(1);
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Started);
  EXPECT_EQ(capture_watch.start_ticks(), ticks_);
  call(1);
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore)) << "what NCCL reads in the sixth call";
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Closed);
  EXPECT_EQ(gate_kinds(), kBefore | kDeep) << "what the captured calls still tell is recorded";
  call(1);
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Stopped);
  EXPECT_EQ(capture_watch.stop_ticks(), ticks_);
}

TEST_F(CaptureWatchTest, OfOneCallIsWidenedBeforeItAndNarrowedInIt) {
  arm(1, 1);
  call(1);
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore | kDeep));
  call(1);
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore));
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Closed);
  call(1);
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Stopped);
}

TEST_F(CaptureWatchTest, CountsNeitherOtherCommunicatorsNorCallsFromBefore) {
  arm(1, 1);
  capture_watch.call(8, ticks_ + 50);
  capture_watch.call(7, ticks_);
  EXPECT_EQ(capture_watch.calls(), 0u);
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Armed);
}

TEST_F(CaptureWatchTest, IsLateWhereTheCallHasBeen) {
  events_.set_captured(kDeep, kCollApi);
  ASSERT_TRUE(capture_watch.arm_position(7, ticks_ + 1));
  call(5);
  EXPECT_FALSE(capture_watch.open_after(5, 1));
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Late);
  call(5);
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore));
}

TEST_F(CaptureWatchTest, IsArmedOnce) {
  arm(10, 1);
  EXPECT_FALSE(capture_watch.arm_instant());
  EXPECT_FALSE(capture_watch.capture_start());
  EXPECT_EQ(capture_watch.rule(), CaptureRule::Position);
}

TEST_F(CaptureWatchTest, TheLongWayIsTakenOnlyByWatchedKindsAndOnlyWhileArmed) {
  EXPECT_NE(recorder.gate.load() & kCollApi, 0u);
  arm(10, 1);
  EXPECT_EQ(recorder.gate.load() & Recorder::kAllKinds, kBefore & ~kCollApi);
  EXPECT_TRUE(watched_start(recorder.gate.load(), ++ticks_, 7, Kind::CollApi, 0, 0))
      << "it is recorded as ever";
  EXPECT_EQ(capture_watch.calls(), 1u);
  ASSERT_TRUE(capture_watch.cancel_now());
  capture_watch.clear(0);
  events_.set_captured(kDeep, 0);
  EXPECT_EQ(recorder.gate.load() & Recorder::kTakesStarts, uint64_t{kBefore});
}

TEST_F(CaptureWatchTest, CountsCallsWhileNothingIsRecordedAndThenCaptures) {
  arm(3, 1);
  events_.set_kinds({0}, "a test");
  EXPECT_EQ(mask_, static_cast<int32_t>(kCollApi)) << "positions go on being told";
  EXPECT_TRUE(takes_starts());
  EXPECT_FALSE(watched_start(recorder.gate.load(), ++ticks_, 7, Kind::CollApi, 0, 0));
  call(2);
  EXPECT_EQ(mask_, static_cast<int32_t>(kCollApi | kDeep));
}

TEST_F(CaptureWatchTest,
       WhatTheUserSetsMeanwhileIsInForceAfterwardsAndTheBudgetHoldsBackDeepKinds) {
  arm(1, 2);
  call(2);
  events_.set_kinds({0x1 | kCollApi}, "a test");
  EXPECT_EQ(mask_, static_cast<int32_t>(0x1 | kCollApi | kDeep));
  events_.hold_back(0x10, "too much");
  EXPECT_EQ(mask_, static_cast<int32_t>(0x1 | kCollApi | 0x48));
  events_.lend(0x4, 0, 1'000'000'000, "a test");
  call(1);
  EXPECT_EQ(mask_, static_cast<int32_t>(0x5 | kCollApi));
  events_.end_loan(1'000'000'000);
  EXPECT_EQ(mask_, static_cast<int32_t>(0x1 | kCollApi));
}

TEST_F(CaptureWatchTest, BeginsWithTheNextMarkedStepAndEndsWithTheEndOfTheLast) {
  events_.set_captured(kDeep, Recorder::kWatchSteps);
  EXPECT_NE(recorder.gate.load() & Recorder::kWatchingSteps, 0u);
  ASSERT_TRUE(capture_watch.arm_step(CaptureWatch::kUnknown, 2));
  capture_watch.step_end(40);
  capture_watch.step_begin(41);
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore | kDeep));
  EXPECT_EQ(capture_watch.first_step(), 41u);
  capture_watch.step_end(41);
  capture_watch.step_begin(42);
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Started);
  capture_watch.step_end(42);
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Stopped);
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore));
}

TEST_F(CaptureWatchTest, IsLateForAStepThatNobodyMarksAnyMore) {
  events_.set_captured(kDeep, Recorder::kWatchSteps);
  ASSERT_TRUE(capture_watch.arm_step(10, 2));
  capture_watch.step_begin(9);
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Armed);
  capture_watch.step_begin(11);
  EXPECT_EQ(capture_watch.phase(), CapturePhase::Late);
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore));
}

TEST_F(CaptureWatchTest, TheProgramsOwnIsOneAtATimeAndNotAtOnceAgain) {
  events_.set_captured(kDeep, 0);
  EXPECT_FALSE(capture_watch.capture_stop());
  EXPECT_TRUE(capture_watch.capture_start());
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore | kDeep));
  EXPECT_FALSE(capture_watch.capture_start());
  EXPECT_TRUE(capture_watch.capture_stop());
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore));
  capture_watch.clear(now_ticks() + (uint64_t{1} << 50));
  EXPECT_FALSE(capture_watch.capture_start());
}

// An exiting process has shut the gate.
TEST_F(CaptureWatchTest, OpensNoGateThatIsShut) {
  events_.set_captured(kDeep, 0);
  recorder.gate.store(0);
  EXPECT_TRUE(capture_watch.capture_start());
  EXPECT_EQ(recorder.gate.load(), 0u);
}

TEST_F(CaptureWatchTest, EndsWithTheRightMaskWhateverOthersChangeMeanwhile) {
  std::atomic<bool> done{false};
  std::thread other([&] {
    for (uint32_t i = 0; !done.load(); ++i) {
      events_.set_kinds({kBefore | (i & 1)}, "a test");
      events_.refresh();
    }
    events_.set_kinds({kBefore}, "a test");
  });
  for (int round = 0; round < 200; ++round) {
    events_.set_captured(kDeep, kCollApi);
    ASSERT_TRUE(capture_watch.arm_position(7, ticks_ + 1));
    ASSERT_TRUE(capture_watch.open_after(5, 3));
    call(7);
    events_.refresh();
    EXPECT_EQ(__atomic_load_n(&mask_, __ATOMIC_RELAXED) & static_cast<int32_t>(kDeep),
              static_cast<int32_t>(kDeep));
    call(3);
    EXPECT_EQ(capture_watch.phase(), CapturePhase::Stopped);
    events_.refresh();
    EXPECT_EQ(__atomic_load_n(&mask_, __ATOMIC_RELAXED) & static_cast<int32_t>(kDeep), 0);
    capture_watch.clear(0);
  }
  done.store(true);
  other.join();
  events_.refresh();
  EXPECT_EQ(mask_, static_cast<int32_t>(kBefore | kCollApi));
}

}  // namespace
}  // namespace lockstep::plugin
