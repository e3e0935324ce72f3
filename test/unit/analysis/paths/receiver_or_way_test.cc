// Whether a receiver is slow or the way to it, where its data is done late.
#include "analysis/paths/receiver_or_way.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

Middle always(int64_t us) { return middle_of(std::vector<int64_t>(40, us * kUs)); }

// A ring of four hosts whose operations take 4 ms. Rank 3 is done 1 ms after rank 2 knows that all is sent, where 30 us
// are usual, and its kernel ends 0.9 ms after that of rank 2.
struct LateReceiver {
  LateReceiver() {
    UsualEdge edge;
    edge.lag_ns = 30 * kUs;
    edge.later_ns = 0;
    usual.assign(4, edge);
    seen.time = always(4'000);
    for (const int64_t lag_us : {30, 30, 1'030, 30}) {
      EdgeSamples samples;
      samples.from = static_cast<uint32_t>(series.edges.size());
      samples.to = (samples.from + 1) % 4;
      samples.network = true;
      series.edges.push_back(samples);
      seen.edges.emplace_back();
      seen.edges.back().lag = always(lag_us);
    }
    seen.edges[2].later = always(900);
    seen.edges[2].gpu = always(50);
  }
  std::vector<TransferExcess> judge() const {
    TransferExcess excess;
    excess.side = side;
    excess.actors = {2, 3};
    excess.excess_ns = excess_us * kUs;
    std::vector<TransferExcess> excesses{excess};
    tell_ways_from_receivers(series, seen, usual, &excesses);
    return excesses;
  }
  SlowSide side = SlowSide::ReceiverProxy;
  int64_t excess_us = 1'000;
  RingSeries series;
  SeenRing seen;
  std::vector<UsualEdge> usual;
};

TEST(ReceiverOrWay, IsTheWayWhereTheReceiverSeesItsOwnSendsInTime) {
  const std::vector<TransferExcess> found = LateReceiver().judge();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].side, SlowSide::Way);
}

// Its GPU may be what takes long, for all that is known.
TEST(ReceiverOrWay, IsTheReceiverWhereStepsAreNotKnown) {
  LateReceiver late;
  late.side = SlowSide::Receiver;
  late.seen.edges[2].gpu = Middle();
  EXPECT_EQ(late.judge().at(0).side, SlowSide::Receiver);
  late.seen.edges[2].gpu = always(50);
  EXPECT_EQ(late.judge().at(0).side, SlowSide::Way);
}

// A receiver that takes long for each step holds its sender up, and the last step is a small part of that.
TEST(ReceiverOrWay, IsTheReceiverWhereTheKernelsEndTogether) {
  LateReceiver late;
  late.seen.edges[2].later = always(0);
  EXPECT_EQ(late.judge().at(0).side, SlowSide::ReceiverProxy);
}

TEST(ReceiverOrWay, IsTheWayWhereTheDelayIsAThirdOfTheOperation) {
  LateReceiver late;
  late.seen.edges[2].later = Middle();
  late.seen.edges[2].lag = always(1'400);
  EXPECT_EQ(late.judge().at(0).side, SlowSide::Way);
}

// Its sends seem to have arrived before they were sent: it noticed late that they were.
TEST(ReceiverOrWay, IsTheReceiverWhereItSeesItsSendsLateAsWell) {
  LateReceiver late;
  late.seen.edges[3].lag = always(-170);
  EXPECT_EQ(late.judge().at(0).side, SlowSide::ReceiverProxy);
}

TEST(ReceiverOrWay, IsTheReceiverHoweverLittleItCostsWhereItSeesItsSendsLateAsWell) {
  LateReceiver late;
  late.excess_us = 100;
  EXPECT_TRUE(late.judge().empty());
  late.seen.edges[3].lag = always(-170);
  ASSERT_EQ(late.judge().size(), 1u);
  EXPECT_EQ(late.judge()[0].side, SlowSide::ReceiverProxy);
}

TEST(ReceiverOrWay, StaysTheReceiverWhereNothingTellsOfItsSends) {
  LateReceiver late;
  late.usual[3].lag_ns = kNoTime;
  EXPECT_EQ(late.judge().at(0).side, SlowSide::ReceiverProxy);
}

TEST(ReceiverOrWay, StaysTheGpuThatTakesLongToEmptyItsBuffers) {
  LateReceiver late;
  late.side = SlowSide::ReceiverGpu;
  EXPECT_EQ(late.judge().at(0).side, SlowSide::ReceiverGpu);
}

// Rank 1 of two hosts empties its buffers in 90 us, where rank 0 does in 50.
TEST(ReceiverOrWay, IsNoGpuOfTwoHostsThatTakesLessThanTwiceAsLong) {
  LateReceiver late;
  late.side = SlowSide::ReceiverGpu;
  late.usual[2].gpu_ns = 50 * kUs;
  late.seen.edges[2].gpu = always(90);
  EXPECT_EQ(late.judge().size(), 1u) << "of four hosts it is";
  late.series.edges[0].network = late.series.edges[3].network = false;
  EXPECT_TRUE(late.judge().empty());
  late.seen.edges[2].gpu = always(110);
  EXPECT_EQ(late.judge().size(), 1u);
}

TEST(ReceiverOrWay, IsNeitherWhereItCostsNoMoreThanHealthyWaysDiffer) {
  LateReceiver late;
  late.excess_us = 500;
  EXPECT_TRUE(late.judge().empty());
  late.usual[3].lag_ns = kNoTime;
  EXPECT_EQ(late.judge().size(), 1u);
  late.excess_us = 300;
  EXPECT_TRUE(late.judge().empty());
}

}  // namespace
}  // namespace lockstep::analysis
