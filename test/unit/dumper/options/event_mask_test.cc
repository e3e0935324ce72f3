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

TEST(EventMask, TakesAShareOfTheOperations) {
  const auto choice = parse_event_choice("step:1/16");
  ASSERT_TRUE(choice.ok()) << choice.message();
  EXPECT_EQ(choice.value().kinds, 0x7f5fu);
  EXPECT_EQ(choice.value().one_in, 16u);
  EXPECT_EQ(parse_event_choice("all").value().one_in, 1u);
  EXPECT_EQ(parse_event_choice("coll,ProxyOp,NetPlugin:1/65536").value().one_in, 65536u);
  for (const char* text : {"step:", "step:16", "step:1/", "step:1/0", "step:1/65537", "step:1/x",
                           "step:2/16", "step:1/16,all", ":1/16", "step:1/-1", "stop:1/16"}) {
    EXPECT_FALSE(parse_event_choice(text).ok()) << text;
  }
  EXPECT_FALSE(parse_events("step:1/16").ok());
  EXPECT_NE(parse_event_choice("proxy:1/16").message().find("nothing to take a share of"),
            std::string::npos);
  EXPECT_FALSE(parse_event_choice("ProxyOp,ProxyStep:1/16").ok());
  const std::string named = event_names(0x7f5f, 16);
  EXPECT_EQ(parse_event_choice(named).value().one_in, 16u) << named;
  EXPECT_EQ(event_names(0x2, 16), "Coll");
}

TEST(EventMask, NamesItsKindsSoThatTheyParseBack) {
  EXPECT_EQ(event_names(0x0a), "Coll,ProxyOp");
  EXPECT_EQ(event_names(0), "none");
  EXPECT_EQ(parse_events(event_names(0xffff)).value(), 0xffffu);
}

}  // namespace
}  // namespace lockstep::dumper
