// What determined the end of runs laid out by hand, and what each of its pieces could win.
#include "analysis/account/critical_path.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "analysis/account/other_paths.h"
#include "analysis/account/step_times.h"
#include "analysis/whatif/what_if.h"
#include "test/unit/analysis/laid_out_run.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

std::vector<CriticalPathRow> path_of(const LaidOutRun& job) {
  return find_critical_path(job.run, job.own, {job.own_excess_ns, job.transfer_excess_ns});
}

TEST(CriticalPath, GoesBackOverWhoCameLastWithoutAGap) {
  LaidOutRun job(2);
  job.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}});
  job.operation({{0, 2 * kMs, 12 * kMs}, {1, 10 * kMs, 12 * kMs}});
  job.operation({{0, 15 * kMs, 17 * kMs}, {1, 13 * kMs, 17 * kMs}});
  job.finish();
  const std::vector<CriticalPathRow> path = path_of(job);
  ASSERT_EQ(path.size(), 5u);
  for (size_t i = 1; i < path.size(); ++i) EXPECT_EQ(path[i].start_ns, path[i - 1].end_ns);
  EXPECT_EQ(path.front().start_ns, 0);
  EXPECT_EQ(path.back().end_ns, 17 * kMs);
  EXPECT_EQ(path[1].part, PathPart::Own);
  EXPECT_EQ(path[1].rank, 1);
  EXPECT_EQ(path[1].duration_ns, 9 * kMs);
  EXPECT_EQ(path[2].part, PathPart::Transfer);
  EXPECT_EQ(path[2].duration_ns, 2 * kMs);
  EXPECT_EQ(path[3].rank, 0);
  EXPECT_EQ(path[3].duration_ns, 3 * kMs);
}

TEST(CriticalPath, WinsNoMoreThanTheNextLongestWayLeaves) {
  LaidOutRun job(2);
  job.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}});
  const uint32_t late = job.operation({{0, 6 * kMs, 12 * kMs}, {1, 10 * kMs, 12 * kMs}});
  job.finish();
  job.own_excess_ns[job.arrival(late, 1)] = 7 * kMs;
  const std::vector<CriticalPathRow> path = path_of(job);
  ASSERT_EQ(path.size(), 3u);
  EXPECT_EQ(path[1].excess_ns, 7 * kMs);
  EXPECT_EQ(path[1].gain_ns, 4 * kMs);  // then rank 0 is last
}

TEST(CriticalPath, TakesARanksLatenessAwayOnAllItsCommunicators) {
  LaidOutRun job(3);
  job.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}, {2, 0, 1 * kMs}});
  // Rank 2 begins both 7 ms late, with rank 0 on one communicator and with rank 1 on the other.
  const uint32_t one = job.operation({{0, 3 * kMs, 12 * kMs}, {2, 10 * kMs, 12 * kMs}});
  const uint32_t other =
      job.operation_on(1, {{1, 3 * kMs, 12 * kMs}, {2, 10 * kMs + 100, 12 * kMs}});
  job.finish();
  job.own_excess_ns[job.arrival(one, 2)] = 7 * kMs;
  job.own_excess_ns[job.arrival(other, 2)] = 7 * kMs;
  const std::vector<CriticalPathRow> path = path_of(job);
  ASSERT_EQ(path.size(), 3u);
  EXPECT_EQ(path[1].rank, 2);
  EXPECT_EQ(path[1].gain_ns, 7 * kMs);
}

TEST(CriticalPath, TakesATransfersExcessAwayFromAllItsRanks) {
  LaidOutRun job(2);
  job.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}});
  const uint32_t slow = job.operation({{0, 2 * kMs, 12 * kMs}, {1, 2 * kMs, 12 * kMs}});
  job.operation({{0, 15 * kMs, 17 * kMs}, {1, 14 * kMs, 17 * kMs}});
  job.finish();
  job.transfer_excess_ns[slow] = 8 * kMs;
  int64_t gain_ns = 0;
  for (const CriticalPathRow& piece : path_of(job)) gain_ns += piece.gain_ns;
  EXPECT_EQ(gain_ns, 8 * kMs);
}

// Four ranks in random operations, some of two of them, some of them in one kernel with another.
void play_at_random(uint32_t seed, LaidOutRun* played) {
  LaidOutRun& job = *played;
  std::mt19937 random(seed);
  const auto up_to = [&](int64_t most_ns) {
    return static_cast<int64_t>(random() % static_cast<uint32_t>(most_ns));
  };
  std::vector<int64_t> now_ns(4);
  for (uint64_t call = 1; call <= 40; ++call) {
    std::vector<uint32_t> ranks = {0, 1, 2, 3};
    std::swap(ranks[0], ranks[random() % 4]);
    std::swap(ranks[1], ranks[1 + random() % 3]);
    std::vector<int64_t> start_ns;
    for (const uint32_t rank : ranks) start_ns.push_back(now_ns[rank] + 20'000 + up_to(5 * kMs));
    const int64_t took_ns = 50'000 + up_to(kMs);
    if (random() % 2 == 0) {
      const int64_t end_ns = *std::max_element(start_ns.begin(), start_ns.end()) + took_ns;
      std::vector<LaidOutRun::Part> parts;
      for (size_t i = 0; i < ranks.size(); ++i) parts.push_back({ranks[i], start_ns[i], end_ns});
      job.operation(parts);
      std::fill(now_ns.begin(), now_ns.end(), end_ns);
      continue;
    }
    // The first sends to the second and receives from the third at once.
    const int64_t second_ns = std::max(start_ns[0], start_ns[1]) + took_ns;
    const int64_t third_ns = std::max(start_ns[0], start_ns[2]) + took_ns;
    const int64_t first_ns = std::max(second_ns, third_ns);
    job.operation({{ranks[0], start_ns[0], first_ns, call}, {ranks[1], start_ns[1], second_ns}});
    job.operation({{ranks[2], start_ns[2], third_ns}, {ranks[0], start_ns[0], first_ns, call}});
    now_ns[ranks[0]] = first_ns;
    now_ns[ranks[1]] = second_ns;
    now_ns[ranks[2]] = third_ns;
  }
  job.finish();
}

TEST(GainsOfPlaces, AreThoseOfAReplayOfTheWholeRun) {
  size_t gains = 0, limited = 0, grouped = 0;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    LaidOutRun job(4);
    play_at_random(seed, &job);
    const std::vector<uint8_t> all(job.own.actors.size(), 1);
    for (const uint32_t row : job.own.order) {
      const Segment& segment = job.own.segments[row];
      grouped += segment.waits_for_launch ? 1 : 0;
      if (segment.own_ns == kNoTime || segment.own_ns < 2) continue;
      std::vector<int64_t> excess_ns(job.own.segments.size());
      excess_ns[row] = segment.own_ns / 2;
      const int64_t replayed_ns = WhatIf(job.run, job.own, excess_ns).gain_ns(all);
      const std::vector<int64_t> found =
          gains_of_places(job.run, job.own, excess_ns, {{PathPart::Own, row, excess_ns[row]}});
      ASSERT_EQ(found, std::vector<int64_t>{replayed_ns}) << "seed " << seed << ", row " << row;
      gains += replayed_ns > 0 ? 1 : 0;
      limited += replayed_ns > 0 && replayed_ns < excess_ns[row] ? 1 : 0;
    }
  }
  EXPECT_GT(gains, 100u);
  EXPECT_GT(limited, 20u);
  EXPECT_GT(grouped, 100u);
}

TEST(StepTimes, AddUpToThePathAndNameWhoHeldItUp) {
  LaidOutRun job(2);
  job.operation({{0, 0, 1 * kMs}, {1, 0, 1 * kMs}});
  const uint32_t late = job.operation({{0, 2 * kMs, 12 * kMs}, {1, 10 * kMs, 12 * kMs}});
  job.operation({{0, 30 * kMs, 33 * kMs}, {1, 13 * kMs, 33 * kMs}});
  job.finish();
  job.run.matches[0].step = job.run.matches[1].step = job.run.matches[2].step = 0;
  job.own_excess_ns[job.arrival(late, 1)] = 7 * kMs;
  const std::vector<CriticalPathRow> path = path_of(job);
  const std::vector<StepTime> steps = find_step_times(path);
  ASSERT_EQ(steps.size(), 1u);
  EXPECT_EQ(steps[0].duration_ns(), 33 * kMs);
  EXPECT_EQ(steps[0].own_ns, 9 * kMs + 18 * kMs);
  EXPECT_EQ(steps[0].process, 1u);  // rank 0 took longer, but not longer than usual
  EXPECT_EQ(steps[0].gain_ns, 7 * kMs);
}

}  // namespace
}  // namespace lockstep::analysis
