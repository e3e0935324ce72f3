#include "clocksync/solve/collective_bounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "clocksync/wire/clock_source.h"

namespace lockstep::clocksync {
namespace {

bool has(const std::vector<HappensBefore>& pairs, uint32_t from, uint32_t to, int64_t start,
         int64_t end) {
  return std::any_of(pairs.begin(), pairs.end(), [&](const HappensBefore& p) {
    return p.from == from && p.to == to && p.start_ns == start && p.end_ns == end;
  });
}

TEST(HappensBefore, NobodyFinishesAnAllReduceBeforeTheLastOneStarts) {
  const std::vector<Participant> ranks = {
      {0, 10, 100, false}, {0, 30, 90, false}, {1, 520, 610, false}};
  const auto pairs = happens_before(DataFlow::AllToAll, ranks);
  ASSERT_EQ(pairs.size(), 2u);
  EXPECT_TRUE(has(pairs, 0, 1, 30, 610));  // the later start of host 0
  EXPECT_TRUE(has(pairs, 1, 0, 520, 90));  // the earlier end of host 0
}

TEST(HappensBefore, ARootOnlyGivesOrOnlyTakes) {
  const std::vector<Participant> ranks = {
      {0, 10, 100, true}, {1, 520, 610, false}, {2, 5, 50, false}};
  const auto broadcast = happens_before(DataFlow::FromRoot, ranks);
  ASSERT_EQ(broadcast.size(), 2u);
  EXPECT_TRUE(has(broadcast, 0, 1, 10, 610));
  EXPECT_TRUE(has(broadcast, 0, 2, 10, 50));
  const auto reduce = happens_before(DataFlow::ToRoot, ranks);
  ASSERT_EQ(reduce.size(), 2u);
  EXPECT_TRUE(has(reduce, 1, 0, 520, 100));
  EXPECT_TRUE(has(reduce, 2, 0, 5, 100));
}

TEST(HappensBefore, SaysWhenItWasOverWhereItCameFromAndWhetherThatWaitedToo) {
  const std::vector<Participant> ranks = {
      {0, 10, 100, true}, {0, 30, 90, false}, {1, 520, 610, false}};
  for (const HappensBefore& o : happens_before(DataFlow::AllToAll, ranks)) {
    EXPECT_EQ(o.from_end_ns, o.from == 0 ? 90 : 610);
    EXPECT_TRUE(o.mutual);
  }
  const auto reduce = happens_before(DataFlow::ToRoot, ranks);
  ASSERT_EQ(reduce.size(), 1u);
  EXPECT_EQ(reduce[0].from_end_ns, 610);
  EXPECT_FALSE(reduce[0].mutual);
}

TEST(HappensBefore, UnknownTimesSayNothing) {
  EXPECT_TRUE(happens_before(DataFlow::AllToAll,
                             {{0, 10, kUnknownTime, false}, {1, kUnknownTime, 9, false}})
                  .size() == 1);
  EXPECT_TRUE(happens_before(DataFlow::AllToAll, {{0, 10, 20, false}, {0, 11, 21, false}}).empty());
}

TEST(HappensBefore, ManyHostsGetAConnectedFewPairsEach) {
  std::vector<Participant> ranks;
  for (uint32_t h = 0; h < 1000; ++h) ranks.push_back({h, 1, 2, false});
  const auto pairs = happens_before(DataFlow::AllToAll, ranks);
  EXPECT_EQ(pairs.size(), 1000u * 2 * kNeighbours);
}

TEST(CollectiveBounds, AlignTwoHostsWithoutAnyProbeWithinTheirBounds) {
  VirtualClockModel a, b;
  a.offset_ns = 500'000'000'000;
  b.offset_ns = 9'000'000'000'000;
  b.skew_ppm = -35;
  std::mt19937_64 random(1);
  std::exponential_distribution<double> late(1 / 40'000.0);
  CollectiveBounds bounds;
  for (int64_t i = 0; i < 2'000; ++i) {
    const int64_t at = i * 5'000'000;
    const int64_t start_a = at + std::llround(late(random)),
                  start_b = at + std::llround(late(random));
    const int64_t both = std::max(start_a, start_b);
    const int64_t end_a = both + 25'000 + std::llround(late(random));
    const int64_t end_b = both + 25'000 + std::llround(late(random));
    for (const HappensBefore& o : happens_before(
             DataFlow::AllToAll,
             {{0, a.at(start_a), a.at(end_a), false}, {1, b.at(start_b), b.at(end_b), false}})) {
      bounds.add(o);
    }
  }
  auto edges = bounds.take();
  ASSERT_EQ(edges.size(), 1u);
  const EdgeModel model = EdgeModel::solve(edges.begin()->second.bounds, EdgeOptions());
  for (int64_t at = 100'000'000; at < 9'900'000'000; at += 10'000'000) {
    const int64_t x = a.at(at);
    const auto answer = model.at(x);
    ASSERT_TRUE(answer);
    EXPECT_LE(answer->lo_ns, b.at(at) - x);
    EXPECT_GE(answer->hi_ns, b.at(at) - x);
    EXPECT_LT(answer->width_ns(), 80'000);
    EXPECT_LT(std::llabs(answer->estimate_ns() - (b.at(at) - x)), 5'000);
  }
  EXPECT_TRUE(model.breaks().empty());
}

// Receivers wait for their senders, and are busy for 8 ms after two of three sends.
TEST(CollectiveBounds, KnowWhereTheEndsOfSendsCoincide) {
  CollectiveBounds bounds;
  for (int64_t i = 0; i < 100; ++i) {
    const int64_t called = i * 50'000'000, end = called + 40'000'000;
    const int64_t b_ns = 700'000'000;  // what its clock shows more
    for (const bool back : {false, true}) {
      const int64_t sent = back ? end + 1'000'000 : end - 30'000;
      const Participant sender{back ? 1u : 0u, sent + (back ? b_ns : 0),
                               sent + 20'000 + (back ? b_ns : 0), true};
      const Participant receiver{back ? 0u : 1u, called + (back ? 0 : b_ns),
                                 sent + (i % 3 == 0 ? 30'000 : 8'000'000) + (back ? 0 : b_ns),
                                 false};
      for (const HappensBefore& o : happens_before(DataFlow::FromRoot, {sender, receiver}))
        bounds.add(o);
    }
  }
  auto edges = bounds.take();
  ASSERT_EQ(edges.size(), 1u);
  CoincidingEnds& ends = edges.begin()->second.ends;
  ends.fit({}, 400, 10'000'000);
  EXPECT_NEAR(double(ends.at(2'000'000'000)->offset_ns), 700e6, 10e3);
}

}  // namespace
}  // namespace lockstep::clocksync
