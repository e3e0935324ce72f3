#include "live/local/control_client.h"

#include <gtest/gtest.h>

namespace lockstep::live {
namespace {

TEST(ControlClient, ASocketsNameTellsHostAndProcessEvenWithDotsInTheHost) {
  EXPECT_EQ(parse_control_name("n1.example.org.4711.ctl").host, "n1.example.org");
  EXPECT_EQ(parse_control_name("n1.example.org.4711.ctl").pid, 4711u);
}

TEST(ControlClient, OtherNamesAreNone) {
  for (const char* name : {"n1.4711.lks", "4711.ctl", ".ctl", "n1.x.ctl", "n1..ctl", ""}) {
    EXPECT_EQ(parse_control_name(name).host, "") << name;
  }
}

// It becomes part of a line and of a note.
TEST(ControlClient, AnAskersNameIsMadeAPlainWord) {
  EXPECT_EQ(request_by("me@n1", "flush"), "as me@n1 flush");
  EXPECT_EQ(request_by("a b\n@n1", "flush"), "as a_b_@n1 flush");
  EXPECT_EQ(request_by("", "flush"), "flush");
}

}  // namespace
}  // namespace lockstep::live
