#include "analysis/say/words.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

TEST(Duration, HasThreeDigitsAndAUnit) {
  EXPECT_EQ(duration(98'000'000'000), "98.0 s");
  EXPECT_EQ(duration(3'750'000'000), "3.75 s");
  EXPECT_EQ(duration(12'700'000), "12.7 ms");
  EXPECT_EQ(duration(580'400), "580 us");
  EXPECT_EQ(duration(12), "12 ns");
  EXPECT_EQ(duration(0), "0 s");
}

TEST(Duration, MovesToTheNextUnitWhereRoundingWouldReachIt) {
  EXPECT_EQ(duration(999'600), "1.00 ms");
  EXPECT_EQ(duration(9'996'000), "10.0 ms");
  EXPECT_EQ(duration(99'960'000), "100 ms");
  EXPECT_EQ(duration(119'600'000'000), "2 min 0 s");
}

TEST(Duration, OfHoursIsReadAsHours) {
  EXPECT_EQ(duration(125'000'000'000), "2 min 5 s");
  EXPECT_EQ(duration(11'520'000'000'000), "3 h 12 min");
}

TEST(Duration, MayBeNegative) { EXPECT_EQ(duration(-1'500), "-1.50 us"); }

TEST(Bytes, HaveABinaryUnit) {
  EXPECT_EQ(bytes(512), "512 B");
  EXPECT_EQ(bytes(64 << 10), "64 KiB");
  EXPECT_EQ(bytes(3 << 19), "1.5 MiB");
  EXPECT_EQ(bytes((1 << 20) - 1), "1 MiB");
}

TEST(Bandwidth, HasThreeDigits) {
  EXPECT_EQ(bandwidth(0.01234), "0.0123 GB/s");
  EXPECT_EQ(bandwidth(12.34), "12.3 GB/s");
  EXPECT_EQ(bandwidth(1234.5), "1234 GB/s");
}

TEST(Counted, HasAPluralForAllButOne) {
  EXPECT_EQ(counted(1, "operation"), "1 operation");
  EXPECT_EQ(counted(0, "operation"), "0 operations");
}

TEST(Listed, HasAnAndBeforeTheLast) {
  EXPECT_EQ(listed({"a"}), "a");
  EXPECT_EQ(listed({"a", "b"}), "a and b");
  EXPECT_EQ(listed({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace lockstep::analysis
