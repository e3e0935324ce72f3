// How much of somebody's lateness something else can explain.
#include "analysis/why/late_windows.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

LateWindow window(int64_t from, int64_t to, int64_t excess) { return {0, 0, from, to, excess}; }

TEST(CoveredNs, IsNoMoreThanTheExcess) {
  EXPECT_EQ(covered_ns({window(100, 200, 30)}, {{100, 200, 80}}), 30);
}

TEST(CoveredNs, CountsWhatHappenedOnce) {
  EXPECT_EQ(covered_ns({window(100, 120, 30), window(150, 170, 30)}, {{100, 200, 40}}), 40);
}

TEST(CoveredNs, LeavesOutWhatHappenedAtAnotherTime) {
  EXPECT_EQ(covered_ns({window(100, 200, 30)}, {{0, 100, 80}, {200, 300, 80}}), 0);
}

TEST(CoveredNs, AddsUpWhatSeveralSpansHold) {
  EXPECT_EQ(covered_ns({window(150, 250, 30)}, {{100, 200, 10}, {200, 300, 15}}), 25);
}

TEST(CoveredNs, TakesWhatIsLessThanNothingForNothing) {
  EXPECT_EQ(covered_ns({window(100, 200, 30)}, {{100, 150, -10}, {150, 200, 5}}), 5);
}

TEST(OverlappedNs, IsTheExcessOfWindowsDuringWhichItLasted) {
  EXPECT_EQ(overlapped_ns({window(100, 200, 30), window(300, 400, 7)}, {{350, 500, 1}}), 7);
}

}  // namespace
}  // namespace lockstep::analysis
