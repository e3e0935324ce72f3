#include "dumper/feeds/in_flight.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::dumper {
namespace {

constexpr uint32_t kComm = 1;

// Records as the adapters write them; ticks are nanoseconds here.
struct Stream {
  InFlight in_flight{8};
  std::vector<Operation> done;
  uint64_t serial = 1;

  EventId coll(uint64_t ticks, unsigned channels) {
    const EventId id = make_event_id(Kind::Coll, kComm, serial++);
    const uint64_t words[kMaxWords] = {
        make_word0(start_tag(Kind::Coll), ticks), id, 0, uint64_t{channels} << 32, 0, 7, 100};
    in_flight.apply(words, start_tag(Kind::Coll));
    return id;
  }
  EventId p2p_to(int peer, uint64_t ticks) {
    const EventId id = make_event_id(Kind::P2p, kComm, serial++);
    const uint64_t words[kMaxWords] = {
        make_word0(start_tag(Kind::P2p), ticks),    id, 0, uint64_t{1} << 32, 0, 100, 0,
        uint64_t{static_cast<uint32_t>(peer)} << 32};
    in_flight.apply(words, start_tag(Kind::P2p));
    return id;
  }
  EventId kernel(EventId parent, unsigned channel, uint64_t ticks) {
    const EventId id = make_event_id(Kind::KernelCh, kComm, serial++);
    const uint64_t words[] = {make_word0(start_tag(Kind::KernelCh), ticks), id, parent,
                              uint64_t{channel} << 32, 1000 + ticks};
    in_flight.apply(words, start_tag(Kind::KernelCh));
    return id;
  }
  void stop_kernel(EventId id, uint64_t ticks, uint64_t gpu_ns) {
    const uint64_t state[] = {make_word0(state_tag(kKernelChStop), ticks), id, gpu_ns};
    in_flight.apply(state, state_tag(kKernelChStop));
    stop(id, ticks);
  }
  EventId proxy_op(EventId parent, uint64_t ticks) {
    const EventId id = make_event_id(Kind::ProxyOp, kComm, serial++);
    const uint64_t words[] = {make_word0(start_tag(Kind::ProxyOp), ticks), id, parent, 0, 0, 0};
    in_flight.apply(words, start_tag(Kind::ProxyOp));
    return id;
  }
  void stop(EventId id, uint64_t ticks) {
    const uint64_t words[] = {make_word0(stop_tag(kind_of(id)), ticks), id};
    in_flight.apply(words, stop_tag(kind_of(id)));
  }
  size_t settle(uint64_t ticks, bool final = false) {
    done.clear();
    in_flight.settle(ticks, 1.0, final, [this](const Operation& op) { done.push_back(op); });
    return done.size();
  }
};

TEST(InFlight, ACollectiveIsDoneWithItsLastChannelAndNotWhenItIsEnqueued) {
  Stream s;
  const EventId coll = s.coll(10, 2);
  s.stop(coll, 11);
  const EventId first = s.kernel(coll, 60, 12), second = s.kernel(coll, 61, 12);
  s.stop_kernel(first, 20, 2000);
  EXPECT_EQ(s.settle(30), 0u);
  s.stop_kernel(second, 40, 3000);
  ASSERT_EQ(s.settle(50), 1u);
  EXPECT_TRUE(s.done[0].complete);
  EXPECT_EQ(s.done[0].kernels[1].channel, 61);
  EXPECT_TRUE(s.in_flight.oldest(9).empty());
}

TEST(InFlight, AChildMayComeAWholeRoundBeforeItsParent) {
  Stream s;
  const EventId coll = make_event_id(Kind::Coll, kComm, 1);
  s.serial = 2;
  s.stop_kernel(s.kernel(coll, 0, 12), 20, 2000);
  EXPECT_EQ(s.settle(15), 0u);
  s.serial = 1;
  s.coll(10, 1);
  s.stop(coll, 11);
  ASSERT_EQ(s.settle(50), 1u);
  EXPECT_TRUE(s.done[0].complete);
  EXPECT_EQ(s.done[0].kernels.size(), 1u);
}

TEST(InFlight, AProxyOperationThatNeverStopsHoldsItUpForOneQuietSecondOnly) {
  Stream s;
  const EventId coll = s.coll(10, 1);
  s.stop(coll, 11);
  s.proxy_op(coll, 12);
  s.stop_kernel(s.kernel(coll, 0, 13), 20, 2000);
  EXPECT_EQ(s.settle(500 * kMs), 0u);
  ASSERT_EQ(s.settle(1100 * kMs), 1u);
  EXPECT_TRUE(s.done[0].complete);
}

TEST(InFlight, AnOperationWithoutKernelStaysInFlightHoweverLongItHangs) {
  Stream s;
  const EventId coll = s.coll(10, 1);
  s.stop(coll, 11);
  s.proxy_op(coll, 12);
  EXPECT_EQ(s.settle(3600000 * kMs), 0u);
  ASSERT_EQ(s.in_flight.oldest(9).size(), 1u);
  ASSERT_EQ(s.settle(3600001 * kMs, true), 1u);
  EXPECT_FALSE(s.done[0].complete);
}

TEST(InFlight, ASendToItselfNeedsNeitherKernelNorProxy) {
  Stream s;
  s.stop(s.p2p_to(0, 10), 11);
  ASSERT_EQ(s.settle(50), 1u);
  EXPECT_TRUE(s.done[0].complete);
  EXPECT_EQ(s.done[0].sequence, 1u);
}

TEST(InFlight, WhatDoesNotFitIsHandedOverAndCounted) {
  Stream s;
  for (uint64_t i = 0; i < 20; ++i) s.coll(10 + i, 1);
  const size_t pushed_out = s.settle(100);
  EXPECT_EQ(pushed_out, s.in_flight.pushed_out());
  EXPECT_EQ(pushed_out + s.in_flight.oldest(99).size(), 20u);
  EXPECT_GE(pushed_out, 12u);
}

TEST(InFlight, OrphansAreCountedAndForgotten) {
  Stream s;
  s.kernel(0, 0, 10);
  s.kernel(make_event_id(Kind::Coll, kComm, 99), 0, 10);
  EXPECT_EQ(s.settle(20000 * kMs), 0u);
  s.settle(20001 * kMs, true);
  EXPECT_EQ(s.in_flight.orphans(), 2u);
}

TEST(Timing, SaysWhereTheTimeComesFrom) {
  Operation op;
  op.start_ticks = 100;
  op.stop_ticks = 350;
  const ChunkClock clock;
  EXPECT_EQ(timing_of(op, clock).source, TimingSource::CollectiveCpu);
  EXPECT_EQ(timing_of(op, clock).exec_ns, 250u);
  op.kernels.resize(2);
  op.kernels[0] = {1, 4, false, 5000, 9000, 400, 500, 501};
  op.kernels[1] = {2, 5, false, 5000, 4000, 400, 900, 902};  // a stop before its start
  EXPECT_EQ(timing_of(op, clock).source, TimingSource::KernelCpu);
  EXPECT_EQ(timing_of(op, clock).exec_ns, 502u);
  op.kernels[1].stop_gpu_ns = 6000;
  EXPECT_EQ(timing_of(op, clock).source, TimingSource::KernelGpu);
  EXPECT_EQ(timing_of(op, clock).exec_ns, 4000u);
}

TEST(Bandwidth, IsNcclsOwn) {
  EXPECT_DOUBLE_EQ(bandwidth_of("AllReduce", 4000000, 4, 1000).algo_gbs, 4.0);
  EXPECT_DOUBLE_EQ(bandwidth_of("AllReduce", 4000000, 4, 1000).bus_gbs, 6.0);
  EXPECT_DOUBLE_EQ(bandwidth_of("AllGather", 1000000, 4, 1000).algo_gbs, 4.0);
  EXPECT_DOUBLE_EQ(bandwidth_of("AllGather", 1000000, 4, 1000).bus_gbs, 3.0);
  EXPECT_DOUBLE_EQ(bandwidth_of("AllReduce", 4000000, 1, 1000).bus_gbs, 0.0);
  EXPECT_DOUBLE_EQ(bandwidth_of("Recv", 1000000, 4, 1000).bus_gbs, 1.0);
  EXPECT_DOUBLE_EQ(bandwidth_of("Recv", 1000000, 4, 0).bus_gbs, 0.0);
}

}  // namespace
}  // namespace lockstep::dumper
