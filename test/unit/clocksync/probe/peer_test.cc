// Two peers that talk to each other without a network: sessions, forgeries, replays, and the points
// that follow.
#include "clocksync/probe/peer.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::clocksync {
namespace {

using Verdict = Peer::Verdict;

struct Side {
  PeerSetup setup;
  ProbeCounters counters;
  std::unique_ptr<Peer> peer;
  uint64_t last_sequence = 0;

  Side(uint32_t self, uint32_t other, uint64_t nonce, uint8_t secret, const PeerVia& via = {}) {
    setup.job_hash = 99;
    setup.self_id = self;
    setup.self_nonce = nonce;
    setup.secret[0] = secret;
    const std::string name = "h" + std::to_string(other);
    peer = std::make_unique<Peer>(setup, HostEntry{name, other, "127.0.0.1", 9, "pod"},
                                  Endpoint::from("127.0.0.1", 9).value(), false, Instant(), via);
  }
  Verdict take(const PacketBytes& bytes, int64_t raw_ns) {
    Packet packet;
    EXPECT_EQ(parse(bytes.data(), bytes.size(), &packet), ParseFault::None);
    return peer->judge({&packet, bytes.data(), {raw_ns, 5}, StampKind::Kernel, raw_ns}, &counters);
  }
  PacketBytes hello() {
    PacketBytes bytes;
    peer->write_hello(&bytes, 0);
    return bytes;
  }
  PacketBytes ack() {
    PacketBytes bytes;
    peer->write_hello_ack(&bytes, 0);
    return bytes;
  }
  PacketBytes probe(uint8_t index, int64_t raw_ns) {
    if (index == 0) peer->begin_train(raw_ns);
    PacketBytes bytes;
    last_sequence = peer->write_probe(index, true, raw_ns, &bytes);
    return bytes;
  }
  PeerNews settle(int64_t ns) { return peer->settle({ns, ns}, 1, &counters); }
};

void greet(Side* a, Side* b) {
  ASSERT_EQ(b->take(a->hello(), 1), Verdict::Hello);
  ASSERT_EQ(a->take(b->ack(), 2), Verdict::HelloAck);
  ASSERT_EQ(a->take(b->hello(), 3), Verdict::Hello);
  ASSERT_EQ(b->take(a->ack(), 4), Verdict::HelloAck);
}

TEST(Peer, CountsProbesOnlyAfterTheSessionIsProven) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  ASSERT_EQ(b.take(a.hello(), 1), Verdict::Hello);
  ASSERT_EQ(a.take(b.ack(), 2), Verdict::HelloAck);
  EXPECT_EQ(b.take(a.probe(0, 10), 20), Verdict::Dropped);
  EXPECT_EQ(b.counters.stale_session, 1u);
  ASSERT_EQ(a.take(b.hello(), 3), Verdict::Hello);
  ASSERT_EQ(b.take(a.ack(), 4), Verdict::HelloAck);
  EXPECT_EQ(b.take(a.probe(1, 30), 40), Verdict::Probe);
}

TEST(Peer, TakesNoPacketOfAnotherInterface) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7), b_eth1(2, 1, 222, 7, {1, "eth1"});
  EXPECT_EQ(b_eth1.take(a.hello(), 1), Verdict::Dropped);
  Side a_eth1(1, 2, 111, 7, {1, "eth1"});
  greet(&a, &b);
  greet(&a_eth1, &b_eth1);
  const PacketBytes first = a.probe(0, 10), second = a_eth1.probe(0, 10);
  EXPECT_EQ(b_eth1.take(first, 20), Verdict::Dropped) << "it would stand for another packet there";
  EXPECT_EQ(b_eth1.take(second, 20), Verdict::Probe);
  EXPECT_EQ(b_eth1.counters.bad_mac, 2u);
}

TEST(Peer, DropsForgeriesReplaysAndStrangersWithoutAnswer) {
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

TEST(Peer, IsNotFooledByARecordedHelloOrAnswer) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7), old_a(1, 2, 100, 7);
  const PacketBytes recorded_hello = old_a.hello();
  ASSERT_EQ(old_a.take(b.hello(), 0), Verdict::Hello);
  Side restarted_b(2, 1, 333, 7);
  const PacketBytes recorded_ack = old_a.ack();  // answers nonce 222
  greet(&a, &b);
  EXPECT_EQ(b.take(recorded_hello, 5), Verdict::Hello);
  EXPECT_EQ(restarted_b.take(recorded_ack, 5), Verdict::Dropped);
  EXPECT_FALSE(restarted_b.peer->session());
  EXPECT_EQ(b.take(a.probe(0, 10), 20), Verdict::Probe)
      << "the proven session must survive a recorded hello";
}

TEST(Peer, AcceptsAPeerThatRestartedWithANewNonce) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  greet(&a, &b);
  EXPECT_EQ(b.take(a.probe(0, 10), 20), Verdict::Probe);
  Side again(1, 2, 112, 7);
  greet(&again, &b);
  EXPECT_EQ(b.take(a.probe(1, 30), 40), Verdict::Dropped);
  EXPECT_EQ(b.take(again.probe(0, 50), 60), Verdict::Probe);
}

TEST(Peer, TurnsAReportedSendStampIntoAPoint) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  greet(&a, &b);
  ASSERT_EQ(b.take(a.probe(0, 1000), 5000), Verdict::Probe);
  ASSERT_TRUE(a.peer->kernel_stamp(1, {1700, 8}));
  ASSERT_EQ(b.take(a.probe(1, 21000), 25000), Verdict::Probe);
  const auto bins = b.settle(30000).bins;
  ASSERT_EQ(bins.size(), 1u);
  ASSERT_EQ(bins[0].points.size(), 1u);
  EXPECT_EQ(bins[0].received, 2u);
  EXPECT_EQ(bins[0].points[0].tx_raw_ns, 1700);
  EXPECT_EQ(bins[0].points[0].delta_ns, 3300);
  EXPECT_EQ(bins[0].points[0].uncertainty_ns, 13u);
  EXPECT_EQ(bins[0].points[0].kind, StampKind::Kernel);
}

TEST(Peer, FallsBackToTheApplicationStampWhenTheKernelsNeverComes) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  greet(&a, &b);
  ASSERT_EQ(b.take(a.probe(0, 1000), 5000), Verdict::Probe);
  const auto bins = b.settle(5000 + a.setup.report_patience_ns()).bins;
  ASSERT_EQ(bins.size(), 1u);
  ASSERT_EQ(bins[0].points.size(), 1u);
  EXPECT_EQ(bins[0].points[0].tx_raw_ns, 1000);
  EXPECT_EQ(bins[0].points[0].kind, StampKind::Application);
  a.settle(2'000'000'000);
  EXPECT_EQ(a.counters.tx_stamp_missing, 1u);
}

TEST(Peer, TellsEverySendStampWithinTheNextTrainsAlsoAtASlowCadence) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  greet(&a, &b);
  size_t kernel = 0, all = 0;
  for (int64_t now = kSecond; now < 60 * kSecond; now += kSecond) {
    for (uint8_t index = 0; index < 3; ++index) {
      ASSERT_EQ(b.take(a.probe(index, now + index), now + 500), Verdict::Probe);
      a.peer->kernel_stamp(a.last_sequence, {now + index + 100, 8});
      // b answers, so that a has receptions to report too.
      ASSERT_EQ(a.take(b.probe(index, now + index), now + 700), Verdict::Probe);
    }
    for (const HullBin& bin : b.settle(now).bins) {
      for (const HullPoint& point : bin.points) {
        ++all;
        kernel += point.kind == StampKind::Kernel ? 1 : 0;
      }
    }
  }
  EXPECT_GT(all, 50u);
  EXPECT_GT(kernel, all * 2 / 3);
}

TEST(Peer, IsSaidToBeLostOnceUntilItIsHeardAgain) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  int lost = 0;
  int64_t now = 0;
  const auto pass = [&](int seconds) {
    for (const int64_t until = now + seconds * kSecond; now < until; now += kSecond / 10) {
      const auto change = a.peer->tick(now);
      lost += change && change->lost ? 1 : 0;
    }
  };
  pass(30);
  EXPECT_EQ(lost, 1) << "nobody answered";
  greet(&a, &b);
  pass(30);
  EXPECT_EQ(lost, 2) << "it answered and fell silent";
}

TEST(Peer, SpreadsItsTrainsByATenthAroundTheCadence) {
  Side a(1, 2, 111, 7), b(2, 1, 222, 7);
  EXPECT_EQ(a.peer->next_train_mono_ns(), INT64_MAX) << "nothing to send before the session";
  greet(&a, &b);
  int64_t now = a.peer->next_train_mono_ns();
  for (int train = 0; train < 100; ++train) {
    a.peer->begin_train(now);
    const int64_t pause = a.peer->next_train_mono_ns() - now;
    EXPECT_GE(pause, 9'000'000) << "a burst sends 100 trains a second";
    EXPECT_LE(pause, 11'000'000);
    now += pause;
  }
}

}  // namespace
}  // namespace lockstep::clocksync
