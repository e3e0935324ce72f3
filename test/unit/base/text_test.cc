#include "base/text.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(ParseNumber, TakesWholeTextsThatTheTypeHolds) {
  EXPECT_EQ(parse_number<uint16_t>("65535"), 65535);
  EXPECT_EQ(parse_number<uint32_t>("ff", 16), 255u);
  for (const char* bad : {"", "65536", "-1", "+1", " 1", "1 ", "1x", "0x1"})
    EXPECT_FALSE(parse_number<uint16_t>(bad).has_value()) << bad;
}

TEST(BaseName, IsWhatStandsAfterTheLastSlash) {
  EXPECT_EQ(base_name("/a/b.lks"), "b.lks");
  EXPECT_EQ(base_name("b.lks"), "b.lks");
  EXPECT_EQ(base_name("/a/"), "");
}

}  // namespace
}  // namespace lockstep
