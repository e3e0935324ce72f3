#include "base/id_series.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace lockstep {
namespace {

TEST(IdSeries, FindsWhatWasSetInWhateverOrder) {
  std::mt19937_64 random(3);
  for (const unsigned disorder : {0u, 3u, 1'000u}) {
    IdSeries series;
    std::map<uint64_t, uint32_t> known;
    for (uint32_t i = 0; i < 2'000; ++i) {
      const uint64_t id = 1 + 3 * i + random() % (3 * disorder + 1);
      series.set(id, i);
      known[id] = i;
      const uint64_t near = id - std::min<uint64_t>(id, random() % 60);
      const auto found = known.find(near);
      ASSERT_EQ(series.find(near), found == known.end() ? IdSeries::kNone : found->second);
    }
    for (uint64_t id = 0; id < 12'000; ++id) {
      const auto found = known.find(id);
      ASSERT_EQ(series.find(id), found == known.end() ? IdSeries::kNone : found->second) << id;
    }
  }
}

TEST(IdSeries, OverwritesAndForgets) {
  IdSeries series;
  series.set(5, 1);
  series.set(9, 2);
  series.set(7, 3);  // late
  series.set(0, 4);  // no key
  for (const uint64_t id : {5u, 9u, 7u}) series.set(id, static_cast<uint32_t>(10 + id));
  EXPECT_EQ(series.find(5), 15u);
  EXPECT_EQ(series.find(9), 19u);
  EXPECT_EQ(series.find(7), 17u);
  EXPECT_EQ(series.find(0), IdSeries::kNone);
  series.clear();
  EXPECT_EQ(series.find(9), IdSeries::kNone);
  EXPECT_EQ(series.find(7), IdSeries::kNone);
  series.set(2, 6);
  EXPECT_EQ(series.find(2), 6u);
}

}  // namespace
}  // namespace lockstep
