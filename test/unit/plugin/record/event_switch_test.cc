#include "plugin/record/event_switch.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "plugin/record/recorder.h"

namespace lockstep::plugin {
namespace {

uint32_t kinds_in(const EventSwitch& events) {
  uint32_t seen = 1;
  events.with_kinds([&](uint32_t kinds) { seen = kinds; });
  return seen;
}

// The keeper measures the cost of calls with the kinds it is told: before the gate opens, such
// calls would be counted as filtered (one of some thousand killed processes had 8 of them).
TEST(EventSwitch, NoKindIsInForceBeforeTheFirstCommunicatorBegins) {
  EventSwitch events;
  events.prepare(
      {0x1234}, 0xffff, [](const std::string&) {}, [](uint32_t) {});
  EXPECT_EQ(kinds_in(events), 0u);
  int32_t mask = 0;
  events.begin(&mask);
  EXPECT_EQ(kinds_in(events), 0x1234u);
  EXPECT_EQ(mask, 0x1234);
  events.end();
  recorder.gate.store(0);
}

// The bit means something else in the library that loaded us.
TEST(EventSwitch, AsksForNoKindThatTheLibraryDoesNotKnowByThatNameWhoeverWantsIt) {
  EventSwitch events;
  std::string told;
  events.prepare(
      {0xffff}, 0x7fff, [&told](const std::string& sentence) { told = sentence; }, [](uint32_t) {});
  int32_t mask = 0;
  events.begin(&mask);
  EXPECT_EQ(mask, 0x7fff);
  events.set_chain_mask(0x8001);
  EXPECT_EQ(mask, 0x7fff);
  events.set_kinds({0x8002}, "a test");
  EXPECT_EQ(mask, 0x0003);
  EXPECT_EQ(events.kinds(), 0x0002u);
  EXPECT_NE(told.find("recorded from here on: Coll"), std::string::npos) << told;
  events.end();
  recorder.gate.store(0);
}

TEST(EventSwitch, SharesDeepKindsUnlessSomebodyWantsThemWhole) {
  EventSwitch events;
  std::string told;
  events.prepare(
      {0x1f, 16}, 0xffff, [&told](const std::string& sentence) { told = sentence; },
      [](uint32_t) {});
  int32_t mask = 0;
  events.begin(&mask);
  EXPECT_EQ(mask, 0x1f);
  EXPECT_EQ(events.one_in(), 16u);
  EXPECT_EQ(recorder.gate.load() & Recorder::kAllKinds, 0x01u) << "what is shared is watched";
  events.lend(0x40, 0, 1'000'000'000, "me@n1");
  EXPECT_EQ(events.one_in(), 16u) << "kernel channels are not deep";
  events.lend(0x10, 0, 1'000'000'000, "me@n1");
  EXPECT_EQ(events.one_in(), 1u);
  events.end_loan(1'000'000'000);
  EXPECT_EQ(events.one_in(), 16u);
  EXPECT_NE(told.find("ProxyStep:1/16"), std::string::npos) << told;
  events.set_kinds({0x1f}, "a test");
  EXPECT_EQ(events.one_in(), 1u);
  EXPECT_EQ(recorder.gate.load() & Recorder::kAllKinds, 0x1fu);
  events.set_kinds({0x1f, 4}, "a test");
  EXPECT_EQ(events.one_in(), 4u);
  events.set_kinds({0x1f}, "a test");
  events.end();
  recorder.gate.store(0);
  recorder.watched.store(0);
}

class LentKinds : public testing::Test {
 protected:
  LentKinds() {
    events_.prepare(
        {0x3}, 0xff, [this](const std::string& note) { notes_.push_back(note); }, [](uint32_t) {});
    events_.begin(&mask_);
  }
  ~LentKinds() override {
    events_.end();
    recorder.gate.store(0);
  }

  EventSwitch events_;
  std::vector<std::string> notes_;
  int32_t mask_ = 0;
};

TEST_F(LentKinds, AreRecordedBesidesTheOthersUntilTheirTimeIsOver) {
  events_.lend(0x30, 1000, 2'000'000'000, "me@n1");
  EXPECT_EQ(mask_, 0x33);
  events_.end_loan(2'000'000'999);
  EXPECT_EQ(mask_, 0x33);
  events_.end_loan(2'000'001'000);
  EXPECT_EQ(mask_, 0x3);
  events_.end_loan(9'000'000'000);
  ASSERT_EQ(notes_.size(), 2u) << "one note for each change";
  EXPECT_NE(notes_[0].find("for 2 s by me@n1; recorded from here on: "), std::string::npos);
  EXPECT_NE(notes_[1].find("again, as before that; recorded from here on: "), std::string::npos);
}

TEST_F(LentKinds, LeaveWhatTheBudgetHoldsBackAsItWas) {
  events_.hold_back(0x12, "too much");
  events_.lend(0x30, 0, 1'000'000'000, "me@n1");
  EXPECT_EQ(mask_, 0x21);
  events_.end_loan(1'000'000'000);
  EXPECT_EQ(mask_, 0x1);
  EXPECT_EQ(events_.held_back(), 0x12u);
}

TEST_F(LentKinds, AreTakenBackByWhoeverSetsTheKinds) {
  events_.lend(0x30, 0, 1'000'000'000, "me@n1");
  events_.set_kinds({0x4}, "somebody");
  EXPECT_EQ(mask_, 0x4);
  events_.end_loan(1'000'000'000);
  EXPECT_EQ(mask_, 0x4);
}

TEST_F(LentKinds, AreReplacedByALaterLoan) {
  events_.lend(0x30, 0, 1'000'000'000, "me@n1");
  events_.lend(0x40, 500'000'000, 1'000'000'000, "you@n2");
  EXPECT_EQ(mask_, 0x43);
  events_.end_loan(1'000'000'000);
  EXPECT_EQ(mask_, 0x43);
  events_.end_loan(1'500'000'000);
  EXPECT_EQ(mask_, 0x3);
}

}  // namespace
}  // namespace lockstep::plugin
