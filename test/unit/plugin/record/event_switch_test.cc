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
      0x1234, [](const std::string&) {}, [](uint32_t) {});
  EXPECT_EQ(kinds_in(events), 0u);
  int32_t mask = 0;
  events.begin(&mask);
  EXPECT_EQ(kinds_in(events), 0x1234u);
  EXPECT_EQ(mask, 0x1234);
  recorder.gate.store(0);
}

}  // namespace
}  // namespace lockstep::plugin
