#include "base/number_ranges.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

TEST(NumberRanges, JoinNeighboursAndNameGaps) {
  EXPECT_EQ(number_ranges({}), "");
  EXPECT_EQ(number_ranges({7}), "7");
  EXPECT_EQ(number_ranges({5, 4}), "4-5");
  EXPECT_EQ(number_ranges({3, 1, 2, 0, 7, 7, 9, 8}), "0-3,7-9");
}

TEST(NumberRanges, OfAThousandNumbersButOneAreTwo) {
  std::vector<int64_t> numbers;
  for (int64_t number = 0; number < 1024; ++number)
    if (number != 512) numbers.push_back(number);
  EXPECT_EQ(number_ranges(numbers), "0-511,513-1023");
}

TEST(NumberRanges, AreReadAsTheyAreWritten) {
  EXPECT_EQ(parse_number_ranges("0-3,7"), (NumberRanges{{0, 3}, {7, 7}}));
  EXPECT_EQ(parse_number_ranges("7,7,3-4"), (NumberRanges{{7, 7}, {7, 7}, {3, 4}}));
}

TEST(NumberRanges, HoldTheirEndsAndWhatLiesBetween) {
  const NumberRanges ranges = {{7, 7}, {2, 4}};
  for (const int64_t inside : {2, 3, 4, 7}) EXPECT_TRUE(is_within(ranges, inside)) << inside;
  for (const int64_t outside : {-1, 1, 5, 6, 8})
    EXPECT_FALSE(is_within(ranges, outside)) << outside;
}

TEST(NumberRanges, OfAnotherShapeAreNone) {
  for (const char* wrong : {"", "a", "3-", "-3", "4-3", "1,,2", "1,", "0-99999999999", "1 2"})
    EXPECT_FALSE(parse_number_ranges(wrong)) << wrong;
}

}  // namespace
}  // namespace lockstep
