#include "dumper/options/event_mask.h"

#include <gtest/gtest.h>

namespace lockstep::dumper {
namespace {

TEST(EventMask, PresetsGrowAndTheDefaultLeavesOutTheThreeLoudKindsAndThePhasesOfKernels) {
  EXPECT_EQ(parse_events("api").value(), 0x0f00u);
  EXPECT_EQ(parse_events("coll").value(), 0x1f07u);
  EXPECT_EQ(parse_events("kernel").value(), 0x7f47u);
  EXPECT_EQ(parse_events("proxy").value(), 0x7f4fu);
  EXPECT_EQ(parse_events("step").value(), 0x7f5fu);
  EXPECT_EQ(parse_events("all").value(), 0xffffu);
}

TEST(EventMask, JoinsKindNamesAndPresets) {
  EXPECT_EQ(parse_events("Coll, ProxyOp").value(), 0x000au);
  EXPECT_EQ(parse_events("api,NetPlugin").value(), 0x0f80u);
  EXPECT_EQ(parse_events("coll,NetPlugin").value(), 0x1f87u);
}

TEST(EventMask, TakesNumbersInBothBases) {
  EXPECT_EQ(parse_events("0").value(), 0u);
  EXPECT_EQ(parse_events("4095").value(), 0xfffu);
  EXPECT_EQ(parse_events("0x3F").value(), 0x3fu);
}

TEST(EventMask, RefusesWhatIsNeither) {
  for (const char* text : {"", "Col", "Coll,", ",", "65536", "0x", "12a", "-1", "Coll;P2p"}) {
    EXPECT_FALSE(parse_events(text).ok()) << text;
  }
  EXPECT_EQ(parse_events("70000").message(),
            "'70000' is not an event mask: a number from 0 to 65535 is");
}

TEST(EventMask, NamesItsKindsSoThatTheyParseBack) {
  EXPECT_EQ(event_names(0x0a), "Coll,ProxyOp");
  EXPECT_EQ(event_names(0), "none");
  EXPECT_EQ(parse_events(event_names(0xffff)).value(), 0xffffu);
}

}  // namespace
}  // namespace lockstep::dumper
