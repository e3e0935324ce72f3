// Two edges that talk to each other without a network: sessions, forgeries, replays, and the points
// that follow.
#include "clocksync/probe/edge.h"

#include <gtest/gtest.h>

namespace lockstep::clocksync {
namespace {

using Verdict = Edge::Verdict;

struct Side {
  EdgeSetup setup;
  ProbeCounters counters;
  std::unique_ptr<Edge> edge;

  Side(uint32_t self, uint32_t peer, uint64_t nonce, uint8_t secret) {
    setup.job_hash = 99;
    setup.self_id = self;
    setup.self_nonce = nonce;
    setup.secret[0] = secret;
    const std::string name = "h" + std::to_string(peer);
    edge = std::make_unique<Edge>(setup, HostEntry{name, peer, "127.0.0.1", 9, "pod"},
                                  Endpoint::from("127.0.0.1", 9).value(), false, 0);
  }
  Verdict take(const PacketBytes& bytes, int64_t raw_ns) {
    Packet packet;
    EXPECT_EQ(parse(bytes.data(), bytes.size(), &packet), ParseFault::None);
    return edge->judge({&packet, bytes.data(), {raw_ns, 5}, StampKind::Kernel, raw_ns}, &counters);
  }
  PacketBytes hello() {
    PacketBytes bytes;
    edge->write_hello(&bytes, 0);
    return bytes;
  }
  PacketBytes ack() {
    PacketBytes bytes;
    edge->write_hello_ack(&bytes, 0);
    return bytes;
  }
  PacketBytes probe(uint8_t index, int64_t raw_ns) {
    if (index == 0) edge->begin_train();
    PacketBytes bytes;
    edge->write_probe(index, true, raw_ns, &bytes);
    return bytes;
  }
};

void greet(Side* a, Side* b) {
  ASSERT_EQ(b->take(a->hello(), 1), Verdict::Hello);
  ASSERT_EQ(a->take(b->ack(), 2), Verdict::HelloAck);
  ASSERT_EQ(a->take(b->hello(), 3), Verdict::Hello);
  ASSERT_EQ(b->take(a->ack(), 4), Verdict::HelloAck);
}

TEST(Edge, CountsProbesOnlyAfterTheSessionIsProven) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  ASSERT_EQ(b.take(a.hello(), 1), Verdict::Hello);
  ASSERT_EQ(a.take(b.ack(), 2), Verdict::HelloAck);
  EXPECT_EQ(b.take(a.probe(0, 10), 20), Verdict::Dropped);
  EXPECT_EQ(b.counters.stale_session, 1u);
  ASSERT_EQ(a.take(b.hello(), 3), Verdict::Hello);
  ASSERT_EQ(b.take(a.ack(), 4), Verdict::HelloAck);
  EXPECT_EQ(b.take(a.probe(1, 30), 40), Verdict::Probe);
}

TEST(Edge, DropsForgeriesReplaysAndStrangersWithoutAnswer) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7), stranger(1, 2, 111, 8);
  greet(&a, &b);
  const PacketBytes good = a.probe(0, 10);
  PacketBytes forged = good;
  forged[72] ^= 1;
  EXPECT_EQ(b.take(forged, 20), Verdict::Dropped);
  EXPECT_EQ(b.take(good, 20), Verdict::Probe);
  EXPECT_EQ(b.take(good, 30), Verdict::Dropped);
  EXPECT_EQ(b.take(stranger.hello(), 40), Verdict::Dropped);
  EXPECT_EQ(b.counters.bad_mac, 2u);
  EXPECT_EQ(b.counters.replayed, 1u);
}

TEST(Edge, IsNotFooledByARecordedHelloOrAnswer) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7), old_a(1, 2, 100, 7);
  const PacketBytes recorded_hello = old_a.hello();
  ASSERT_EQ(old_a.take(b.hello(), 0), Verdict::Hello);
  Side restarted_b(2, 1, 333, 7);
  const PacketBytes recorded_ack = old_a.ack();  // answers nonce 222
  greet(&a, &b);
  EXPECT_EQ(b.take(recorded_hello, 5), Verdict::Hello);
  EXPECT_EQ(restarted_b.take(recorded_ack, 5), Verdict::Dropped);
  EXPECT_FALSE(restarted_b.edge->session());
  EXPECT_EQ(b.take(a.probe(0, 10), 20), Verdict::Probe)
      << "the proven session must survive a recorded hello";
}

TEST(Edge, AcceptsAPeerThatRestartedWithANewNonce) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  greet(&a, &b);
  EXPECT_EQ(b.take(a.probe(0, 10), 20), Verdict::Probe);
  Side again(1, 2, 112, 7);
  greet(&again, &b);
  EXPECT_EQ(b.take(a.probe(1, 30), 40), Verdict::Dropped);
  EXPECT_EQ(b.take(again.probe(0, 50), 60), Verdict::Probe);
}

TEST(Edge, TurnsAReportedSendStampIntoAPoint) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  greet(&a, &b);
  ASSERT_EQ(b.take(a.probe(0, 1000), 5000), Verdict::Probe);
  ASSERT_TRUE(a.edge->sends.kernel_stamp(1, {1700, 8}));
  ASSERT_EQ(b.take(a.probe(1, 21000), 25000), Verdict::Probe);
  const auto bins = b.edge->receptions.take_bins("h1", 30000);
  ASSERT_EQ(bins.size(), 1u);
  ASSERT_EQ(bins[0].points.size(), 1u);
  EXPECT_EQ(bins[0].received, 2u);
  EXPECT_EQ(bins[0].points[0].tx_raw_ns, 1700);
  EXPECT_EQ(bins[0].points[0].delta_ns, 3300);
  EXPECT_EQ(bins[0].points[0].uncertainty_ns, 13u);
  EXPECT_EQ(bins[0].points[0].kind, StampKind::Kernel);
}

TEST(Edge, FallsBackToTheApplicationStampWhenTheKernelsNeverComes) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  greet(&a, &b);
  ASSERT_EQ(b.take(a.probe(0, 1000), 5000), Verdict::Probe);
  b.edge->receptions.expire(5000 + a.setup.report_patience_ns());
  const auto bins = b.edge->receptions.take_bins("h1", 30000);
  ASSERT_EQ(bins.size(), 1u);
  ASSERT_EQ(bins[0].points.size(), 1u);
  EXPECT_EQ(bins[0].points[0].tx_raw_ns, 1000);
  EXPECT_EQ(bins[0].points[0].kind, StampKind::Application);
  EXPECT_EQ(a.edge->sends.take_missing(2'000'000'000), 1u);
}

TEST(Edge, TellsEverySendStampWithinTheNextTrainsAlsoAtASlowCadence) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  greet(&a, &b);
  constexpr int64_t kSecond = 1'000'000'000;
  size_t kernel = 0, all = 0;
  for (int64_t now = kSecond; now < 60 * kSecond; now += kSecond) {
    for (uint8_t index = 0; index < 3; ++index) {
      const uint64_t sequence = a.edge->sends.next_sequence();
      ASSERT_EQ(b.take(a.probe(index, now + index), now + 500), Verdict::Probe);
      a.edge->sends.kernel_stamp(sequence, {now + index + 100, 8});
      // b answers, so that a has receptions to report too.
      ASSERT_EQ(a.take(b.probe(index, now + index), now + 700), Verdict::Probe);
    }
    b.edge->receptions.expire(now);
    for (const HullBin& bin : b.edge->receptions.take_bins("h1", now)) {
      for (const HullPoint& point : bin.points) {
        ++all;
        kernel += point.kind == StampKind::Kernel ? 1 : 0;
      }
    }
  }
  EXPECT_GT(all, 50u);
  EXPECT_GT(kernel, all * 2 / 3);
}

TEST(SendLog, RefusesAKernelStampFromBeforeThePacketExisted) {
  SendLog log(16, 3);
  log.sent(1000, true);
  EXPECT_FALSE(log.kernel_stamp(1, {990, 5}));
  EXPECT_EQ(log.find(1)->kind, StampKind::Application);
  log.sent(2000, true);
  EXPECT_TRUE(log.kernel_stamp(2, {1999, 5}));
  EXPECT_FALSE(log.kernel_stamp(7, {9000, 5}));
}

TEST(ReceiveLog, CountsLossButNotReordering) {
  ReceiveLog log(64, 2'500'000'000);
  Packet packet;
  for (uint64_t sequence : {1u, 2u, 5u, 4u, 9u}) {
    packet.sequence = sequence;
    log.received(packet, {1000, 0}, StampKind::Kernel);
  }
  log.take_bins("p", 0);
  EXPECT_EQ(log.totals().lost, 4u);
  EXPECT_EQ(log.totals().received, 5u);
}

}  // namespace
}  // namespace lockstep::clocksync
