// What stands above the page's heat map: steps of all ranks as one, the ranges that take most time, no more spans than fit.
#include "analysis/page/lanes.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int64_t kEpochNs = 5'000'000'000;

std::unique_ptr<RunTables> two_processes() {
  auto run = std::make_unique<RunTables>();
  run->aligned = true;
  for (int32_t rank = 0; rank < 2; ++rank) {
    ProcessRow process;
    process.rank = rank;
    process.host = run->strings.intern(rank == 0 ? "left" : "right");
    process.aligned = 1;
    process.first_ns = kEpochNs;
    process.last_ns = kEpochNs + 1000 * kMs;
    run->processes.push_back(process);
  }
  return run;
}

void add_range(RunTables* run, uint32_t process, const char* text, int64_t from_ms, int64_t to_ms,
               RangeKind kind = RangeKind::Pushed) {
  RangeRow row;
  row.process = process;
  row.text = run->strings.intern(text);
  row.start_ns = kEpochNs + from_ms * kMs;
  row.finish_ns = to_ms < 0 ? kNoTime : kEpochNs + to_ms * kMs;
  row.kind = kind;
  run->ranges.push_back(row);
}

std::vector<PageLane> lanes_of(const RunTables& run) {
  return analysis::lanes_of(run, RunTime(run));
}

TEST(Lanes, OfARunWithoutMarksAreNone) { EXPECT_TRUE(lanes_of(*two_processes()).empty()); }

TEST(Lanes, OfStepsGoFromTheFirstRankThatBeginsToTheLastThatEnds) {
  const auto run = two_processes();
  for (uint32_t process = 0; process < 2; ++process) {
    MarkedStepRow row;
    row.process = process;
    row.step = 7;
    row.start_ns = kEpochNs + (10 + process) * kMs;
    row.finish_ns = kEpochNs + (20 + process) * kMs;
    run->rank_steps.push_back(row);
  }
  const auto lanes = lanes_of(*run);
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_EQ(lanes[0].kind, PageLane::Kind::Steps);
  ASSERT_EQ(lanes[0].spans.size(), 1u);
  EXPECT_EQ(lanes[0].spans[0].from_ns, 10 * kMs);
  EXPECT_EQ(lanes[0].spans[0].to_ns, 21 * kMs);
  EXPECT_EQ(lanes[0].spans[0].text, "step 7");
}

TEST(Lanes, OfRangesAreThoseThatTakeMostTimeAndOneWithoutAnEndLastsAsLongAsItsProcess) {
  const auto run = two_processes();
  for (const char* name : {"a", "b", "c", "d"}) add_range(run.get(), 0, name, 0, 100);
  add_range(run.get(), 0, "short", 0, 1);
  add_range(run.get(), 1, "endless", 400, -1);
  add_range(run.get(), 1, "here", 30, 30, RangeKind::Moment);
  const auto lanes = lanes_of(*run);
  ASSERT_EQ(lanes.size(), 5u);
  EXPECT_EQ(lanes[0].name, "endless");
  EXPECT_EQ(lanes[0].spans[0].to_ns, 1000 * kMs);
  EXPECT_EQ(lanes[4].kind, PageLane::Kind::Moments);
  EXPECT_EQ(lanes[4].spans[0].text, "here");
  for (const PageLane& lane : lanes) EXPECT_NE(lane.name, "short");
}

TEST(Lanes, HaveNoMoreSpansThanFitAndCoverTheSameTime) {
  const auto run = two_processes();
  for (int64_t i = 0; i < 1800; ++i) {
    add_range(run.get(), 0, "x", i, i);
    run->ranges.back().finish_ns += kMs / 2;
  }
  const auto lanes = lanes_of(*run);
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_LE(lanes[0].spans.size(), 500u);
  EXPECT_EQ(lanes[0].spans.front().from_ns, 0);
  EXPECT_EQ(lanes[0].spans.back().to_ns, 1799 * kMs + kMs / 2);
}

TEST(Lanes, NameTheHostThatIsShortAndOfWhat) {
  const auto run = two_processes();
  HostPressureRow row;
  row.host = run->strings.intern("right");
  row.of = run->strings.intern("processors");
  row.start_ns = kEpochNs + 100 * kMs;
  row.finish_ns = kEpochNs + 200 * kMs;
  row.share = 0.345;
  run->host_pressure.push_back(row);
  const auto lanes = lanes_of(*run);
  ASSERT_EQ(lanes.size(), 1u);
  EXPECT_EQ(lanes[0].name, "right");
  EXPECT_EQ(lanes[0].spans[0].text, "short of processors, 34 %");
  EXPECT_EQ(lanes[0].spans[0].from_ns, 100 * kMs);
}

}  // namespace
}  // namespace lockstep::analysis
