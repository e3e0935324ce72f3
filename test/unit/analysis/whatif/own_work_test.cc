// A stage of a pipeline that nobody else does the work of, in 20 training steps of four micro-batches.
#include "analysis/whatif/own_work.h"

#include <gtest/gtest.h>

#include <functional>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr uint32_t kOwnSteps = 20, kOwnBatches = 4;
constexpr int64_t kOwnWork = 10 * static_cast<int64_t>(kMs);

// By how much longer than `kOwnWork` a micro-batch takes.
using Longer = std::function<int64_t(uint32_t step, uint32_t batch)>;

bool may_be_work(const Longer& longer_ns) {
  RunTables run;
  OwnSegments own;
  Roles roles;
  Excesses excesses;
  std::vector<Occasion> occasions;
  int64_t now_ns = 0;
  for (uint32_t row = 0; row < kOwnSteps * kOwnBatches; ++row) {
    const int64_t excess_ns = longer_ns(row / kOwnBatches, row % kOwnBatches);
    MatchRow match;
    match.step = row / kOwnBatches;
    run.matches.push_back(match);
    ArrivalRow arrival;
    arrival.match = row;
    run.arrivals.push_back(arrival);
    Segment segment;
    segment.actor = 0;
    segment.own_ns = kOwnWork + excess_ns;
    now_ns += segment.own_ns;
    segment.start_ns = now_ns;
    own.segments.push_back(segment);
    own.order.push_back(row);
    roles.call.push_back(7);
    excesses.ns.push_back(excess_ns);
    if (excess_ns != 0) occasions.push_back({row, excess_ns, excess_ns});
  }
  return may_be_its_work(run, own, roles, excesses, {0, occasions, 0, now_ns});
}

// Three micro-batches of 20, anywhere.
bool now_and_then(uint32_t step, uint32_t batch) {
  return (step * kOwnBatches + batch) * 7 % 20 < 3;
}

TEST(OwnWork, VariesByAPartOfItself) {
  EXPECT_TRUE(may_be_work(
      [](uint32_t step, uint32_t batch) { return now_and_then(step, batch) ? kOwnWork / 8 : 0; }));
}

TEST(OwnWork, DoesNotTakeTwiceAsLongNowAndThen) {
  EXPECT_FALSE(may_be_work(
      [](uint32_t step, uint32_t batch) { return now_and_then(step, batch) ? kOwnWork : 0; }));
}

TEST(OwnWork, MayTakeTwiceAsLongAtTheSamePlacesOfEachStep) {
  EXPECT_TRUE(may_be_work([](uint32_t, uint32_t batch) { return batch >= 2 ? kOwnWork : 0; }));
  EXPECT_FALSE(may_be_work([](uint32_t, uint32_t batch) { return batch >= 2 ? 2 * kOwnWork : 0; }));
}

TEST(OwnWork, IsNotWhatTakesLongerInOnePartOfTheRun) {
  EXPECT_FALSE(
      may_be_work([](uint32_t step, uint32_t) { return step / 3 == 2 ? kOwnWork / 4 : 0; }));
}

}  // namespace
}  // namespace lockstep::analysis
