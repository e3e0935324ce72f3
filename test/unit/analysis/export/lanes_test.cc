#include "analysis/export/lanes.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

TEST(Lanes, ReuseTheFirstTrackThatIsFree) {
  Lanes<int> lanes(1);
  EXPECT_EQ(lanes.place(0, 0, 10).track, 1u);
  EXPECT_EQ(lanes.place(0, 5, 20).track, 2u);
  EXPECT_EQ(lanes.place(0, 10, 30).track, 1u) << "one may begin where the other ended";
  EXPECT_EQ(lanes.place(0, 12, 13).track, 3u);
}

TEST(Lanes, NeverReuseTheTrackOfWhatHasNotEnded) {
  Lanes<int> lanes(1);
  EXPECT_EQ(lanes.place(0, 0, kForever).track, 1u);
  EXPECT_EQ(lanes.place(0, 1000000, 1000001).track, 2u);
}

TEST(Lanes, KeepGroupsApart) {
  Lanes<int> lanes(1);
  EXPECT_EQ(lanes.place(0, 0, 10).track, 1u);
  const auto place = lanes.place(7, 20, 30);
  EXPECT_EQ(place.track, 2u);
  EXPECT_EQ(place.lane, 0u);
  EXPECT_TRUE(place.is_new);
}

}  // namespace
}  // namespace lockstep::analysis
