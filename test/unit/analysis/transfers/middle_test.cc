// Values that were measured again and again, and how surely their middle lies above something.
#include "analysis/transfers/middle.h"

#include <gtest/gtest.h>

#include <numeric>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int64_t kHigh = 500 * kUs, kLow = 50 * kUs;

// 120 values, 72 of them high: stretches of so many lie on one side.
std::vector<int64_t> two_heaps(size_t stretch) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < 120; ++i) {
    const bool high = i / stretch * 7 % 10 < 6;
    values.push_back((high ? kHigh : kLow) + static_cast<int64_t>(i * 7 % 5) * 100);
  }
  return values;
}

TEST(Middle, OfValuesThatAreAlikeIsSurelyOneOfThem) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < 30; ++i) values.push_back(kHigh + static_cast<int64_t>(i * 7 % 5) * 100);
  EXPECT_GE(middle_of(values).at_least_ns, kHigh);
}

TEST(Middle, OfTwoHeapsMayLieInTheSmallerOne) {
  const Middle middle = middle_of(two_heaps(1));
  EXPECT_GE(middle.ns, kHigh);
  EXPECT_TRUE(stands_out(middle, kLow, 100 * kUs));
  EXPECT_LT(middle.at_least_ns, kHigh);
}

TEST(Middle, OfScatteredValuesIsAsUnsureUpwardsAsDownwards) {
  std::vector<int64_t> few, many;
  for (int64_t i = 0; i < 400; ++i)
    (i < 20 ? few : many).push_back(kHigh + (i * 7 % 20 - 10) * kUs);
  for (const auto& values : {few, many}) {
    const Middle middle = middle_of(values);
    EXPECT_LT(middle.at_least_ns, middle.ns);
    EXPECT_GT(middle.at_most_ns, middle.ns);
    EXPECT_NEAR(static_cast<double>(middle.at_most_ns - kHigh),
                static_cast<double>(kHigh - middle.at_least_ns), 2 * kUs);
  }
  EXPECT_GT(middle_of(few).at_most_ns, middle_of(many).at_most_ns);
}

TEST(Middle, IsLessSureWhereNeighboursRepeatEachOther) {
  std::vector<int64_t> apart, together;
  for (size_t i = 0; i < 120; ++i) {
    apart.push_back(i * 7 % 10 < 8 ? kHigh : kLow);
    together.push_back(i / 4 * 7 % 10 < 8 ? kHigh : kLow);
  }
  EXPECT_EQ(middle_of(apart).at_least_ns, kHigh);
  EXPECT_EQ(middle_of(together).at_least_ns, kLow);
}

// Within 5 % of 1 ms; seven do not tell enough.
TEST(SeenOperations, ThatStartedTogetherTellIfThereAreEnough) {
  const std::vector<int64_t> times(10, 1'000'000);
  std::vector<int64_t> apart(10, 50'000);
  apart[4] = 50'001;
  const std::vector<uint32_t> nine{0, 1, 2, 3, 4, 5, 6, 7, 8}, eight{0, 1, 2, 3, 4, 5, 6, 7};
  const SeenOperations enough = look_at_operations(times, apart, nine);
  EXPECT_TRUE(enough.together);
  EXPECT_EQ(enough.time.ns, 1'000'000);
  EXPECT_EQ(enough.telling, (std::vector<uint32_t>{0, 1, 2, 3, 5, 6, 7, 8}));
  const SeenOperations few = look_at_operations(times, apart, eight);
  EXPECT_FALSE(few.together);
  EXPECT_EQ(few.telling, eight);
  EXPECT_EQ(look_at_operations(times, apart).telling,
            (std::vector<uint32_t>{0, 1, 2, 3, 5, 6, 7, 8, 9}));
}

// What is usual is one of the middles, and no better known than that.
TEST(Steady, IsWhatLiesBeyondWhatChanceDoesToBoth) {
  Middle usual, longer;
  usual.ns = 100;
  usual.at_most_ns = 140;
  longer.ns = 150;
  longer.at_least_ns = 120;
  EXPECT_EQ(unsureness_of({longer, usual}, 100), 40);
  EXPECT_EQ(unsureness_of({longer, usual}, 101), 0);
  EXPECT_TRUE(is_steady(longer, 100, 40));
  EXPECT_FALSE(is_steady(longer, 100, 41));
}

TEST(LeastOfGroups, IsTheMiddleOfTheGroupThatShowsLeast) {
  std::vector<int64_t> values;
  std::vector<uint32_t> all, group;
  for (uint32_t i = 0; i < 40; ++i) {
    all.push_back(i);
    group.push_back(i % 4);
    values.push_back(group.back() == 2 ? kLow : kHigh);
  }
  EXPECT_EQ(least_of_groups(values, all, group).middle.ns, kLow);
  EXPECT_EQ(least_of_groups(values, all, group).middle.count, 10u);
  EXPECT_EQ(least_of_groups(values, all, group).groups, 4u);
}

TEST(LeastOfGroups, IsNotKnownOfOneGroupAlone) {
  const std::vector<int64_t> values(40, kHigh);
  std::vector<uint32_t> all(40), group(40);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_FALSE(least_of_groups(values, all, group).middle.known());
  // Of the other, too few values are known.
  group[3] = group[17] = 1;
  EXPECT_FALSE(least_of_groups(values, all, group).middle.known());
}

}  // namespace
}  // namespace lockstep::analysis
