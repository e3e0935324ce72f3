#include "plugin/record/event_switch.h"

#include <gtest/gtest.h>

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
      0x1234, 0xffff, [](const std::string&) {}, [](uint32_t) {});
  EXPECT_EQ(kinds_in(events), 0u);
  int32_t mask = 0;
  events.begin(&mask);
  EXPECT_EQ(kinds_in(events), 0x1234u);
  EXPECT_EQ(mask, 0x1234);
  recorder.gate.store(0);
}

// The bit means something else in the library that loaded us.
TEST(EventSwitch, AsksForNoKindThatTheLibraryDoesNotKnowByThatNameWhoeverWantsIt) {
  EventSwitch events;
  std::string told;
  events.prepare(
      0xffff, 0x7fff, [&told](const std::string& sentence) { told = sentence; }, [](uint32_t) {});
  int32_t mask = 0;
  events.begin(&mask);
  EXPECT_EQ(mask, 0x7fff);
  events.set_chain_mask(0x8001);
  EXPECT_EQ(mask, 0x7fff);
  events.set_kinds(0x8002, "a test");
  EXPECT_EQ(mask, 0x0003);
  EXPECT_EQ(events.kinds(), 0x0002u);
  EXPECT_NE(told.find("recorded from here on: Coll"), std::string::npos) << told;
  recorder.gate.store(0);
}

}  // namespace
}  // namespace lockstep::plugin
