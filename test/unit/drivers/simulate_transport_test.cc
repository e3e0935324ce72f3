// The simulator's transport against calculations by hand: rings, credits, and what never comes.
#include <gtest/gtest.h>

#include "test/drivers/simulate/transport.h"

namespace lockstep::simulate {
namespace {

constexpr int64_t kFlushNs = 700, kEndNs = 1'000;  // transport.cc

TransportMember member(int64_t posted_ns, int64_t begun_ns) {
  return {posted_ns, begun_ns, 50, false};
}
TransportEdge edge() { return {1'000, 10'000, 0, 0, 0, 0}; }

TEST(SimulateTransport, ARingOfTwoTakesWhatPaperSays) {
  TransportShape shape;  // an all-reduce of two ranks: send, receive and add, send, receive
  shape.steps = shape.steps_of_loop = 2;
  shape.behind = 1;
  TransportTimes times;
  play_ring({member(0, 2'000), member(0, 5'000)}, {edge(), edge()}, shape, &times);

  // Rank 1 begins last: its first step is ready 50 ns later, 10 us on the wire, 1 us under way.
  EXPECT_EQ(times.at(1, 0).ready_ns, 5'050);
  EXPECT_EQ(times.at(1, 0).arrived_ns, 5'050 + 10'000 + 1'000);
  const int64_t taken_by_0 = 16'050 + kFlushNs + 50;
  EXPECT_EQ(times.at(1, 0).consumed_ns, taken_by_0);
  // Rank 0 began at 2 us; what it sends first waits for the receiver's kernel only in the buffer.
  EXPECT_EQ(times.at(0, 0).arrived_ns, 2'050 + 11'000);
  // It sends on what it got, and rank 1's kernel ends with that.
  EXPECT_EQ(times.at(0, 1).ready_ns, taken_by_0 + 50);
  EXPECT_EQ(times.at(0, 1).consumed_ns, taken_by_0 + 50 + 11'000 + kFlushNs + 50);
  EXPECT_EQ(times.ends_ns[1], times.at(0, 1).consumed_ns + kEndNs);
  // Rank 1 had what it sends second at 13.8 us, but its first step left the wire at 15.05 us.
  EXPECT_EQ(times.at(1, 1).ready_ns, 2'050 + 11'000 + kFlushNs + 50 + 50);
  EXPECT_EQ(times.at(1, 1).sent_ns, 15'050);
}

TEST(SimulateTransport, ASenderGoesAsFarAsTheCredits) {
  TransportShape shape;
  shape.steps = 10;
  shape.credits = 4;
  TransportTimes times;
  play_transfer({member(0, 0), member(0, kNever)}, edge(), shape, &times);
  EXPECT_TRUE(happens(times.at(0, 3).arrived_ns));
  EXPECT_FALSE(happens(times.at(0, 3).consumed_ns));
  EXPECT_TRUE(happens(times.at(0, 4).offered_ns));
  EXPECT_FALSE(happens(times.at(0, 4).sent_ns));
  EXPECT_FALSE(happens(times.at(0, 8).posted_ns));
}

TEST(SimulateTransport, AReceiverThatNeverCallsGivesNoCredit) {
  TransportShape shape;
  shape.steps = 10;
  TransportTimes times;
  play_transfer({member(0, 0), member(kNever, kNever)}, edge(), shape, &times);
  EXPECT_TRUE(happens(times.at(0, 0).offered_ns));
  EXPECT_FALSE(happens(times.at(0, 0).sent_ns));
  EXPECT_FALSE(happens(times.at(0, 0).awaited_ns));
}

TEST(SimulateTransport, WhatIsLostIsSentAndNeverArrives) {
  TransportShape shape;
  shape.steps = 4;
  TransportMember sender = member(0, 0);
  sender.data_stops = true;
  TransportTimes times;
  play_transfer({sender, member(0, 0)}, edge(), shape, &times);
  EXPECT_TRUE(happens(times.at(0, 1).consumed_ns));
  EXPECT_TRUE(happens(times.at(0, 2).sent_ns));
  EXPECT_FALSE(happens(times.at(0, 2).arrived_ns));
  EXPECT_FALSE(happens(times.ends_ns[1]));
}

TEST(SimulateTransport, ASlowReceiverHoldsTheSenderBack) {
  TransportShape shape;
  shape.steps = 64;
  shape.credits = 4;
  TransportMember slow = member(0, 0);
  slow.gpu_ns = 500'000;
  TransportTimes times;
  play_transfer({member(0, 0), slow}, edge(), shape, &times);
  for (uint32_t n = 4; n < shape.steps; ++n)
    EXPECT_GE(times.at(0, n).sent_ns, times.at(0, n - 4).consumed_ns) << n;
}

// Member 0 is above the other two.
const std::vector<size_t> kFork{3, 0, 0};
constexpr size_t up_from(size_t member) { return 2 * member; }
constexpr size_t down_to(size_t member) { return 2 * member + 1; }

TEST(SimulateTransport, ATreeOfThreeTakesWhatPaperSays) {
  const std::vector<TransportEdge> edges(6, edge());
  TransportTimes times;
  play_tree({member(0, 2'000), member(0, 2'000), member(0, 5'000)}, edges, kFork, TransportShape(),
            &times);

  EXPECT_EQ(times.at(up_from(1), 0).arrived_ns, 2'050 + 11'000);
  const int64_t last_came_ns = 5'050 + 11'000 + kFlushNs;
  EXPECT_EQ(times.at(up_from(2), 0).flushed_ns, last_came_ns);
  // The root takes up both at once, as it sends their sum down.
  const int64_t sent_ns = last_came_ns + 50;
  EXPECT_EQ(times.at(up_from(1), 0).consumed_ns, sent_ns);
  EXPECT_EQ(times.at(up_from(2), 0).consumed_ns, sent_ns);
  EXPECT_EQ(times.ends_ns[0], sent_ns + kEndNs);
  for (const size_t leaf : {size_t{1}, size_t{2}}) {
    EXPECT_EQ(times.at(down_to(leaf), 0).ready_ns, sent_ns);
    EXPECT_EQ(times.ends_ns[leaf], sent_ns + 11'000 + kFlushNs + 50 + kEndNs);
  }
}

TEST(SimulateTransport, ASlowEdgeOfATreeHoldsUpThoseBesideItByTheirCredits) {
  std::vector<TransportEdge> edges(6, edge());
  edges[up_from(1)].wire_ns = 100'000;
  TransportShape shape;
  shape.steps = 32;
  shape.credits = 4;
  TransportTimes times;
  play_tree({member(0, 0), member(0, 0), member(0, 0)}, edges, kFork, shape, &times);
  for (uint32_t n = 4; n < shape.steps; ++n) {
    EXPECT_EQ(times.at(up_from(2), n).consumed_ns, times.at(up_from(1), n).consumed_ns) << n;
    EXPECT_GE(times.at(up_from(2), n).sent_ns, times.at(up_from(2), n - 4).consumed_ns) << n;
    EXPECT_GE(times.at(down_to(2), n).ready_ns, times.at(up_from(1), n).flushed_ns) << n;
  }
}

TEST(SimulateTransport, NothingComesDownATreeWhereALeafDoesNotBegin) {
  const std::vector<TransportEdge> edges(6, edge());
  TransportTimes times;
  play_tree({member(0, 0), member(0, 0), member(0, kNever)}, edges, kFork, TransportShape(),
            &times);
  EXPECT_TRUE(happens(times.at(up_from(1), 0).arrived_ns));
  EXPECT_FALSE(happens(times.at(up_from(1), 0).consumed_ns));
  EXPECT_FALSE(happens(times.at(down_to(1), 0).ready_ns));
  for (const int64_t end_ns : times.ends_ns) EXPECT_FALSE(happens(end_ns));
}

}  // namespace
}  // namespace lockstep::simulate
