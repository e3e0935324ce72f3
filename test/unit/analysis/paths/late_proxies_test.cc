// Whose proxy thread sees late what the network has done.
#include "analysis/paths/late_proxies.h"

#include <gtest/gtest.h>

#include "test/unit/analysis/judge/judged.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kRanksOfRing = 4, kSeenTimes = 40;

// Four ranks, each on a host of its own, whose operations take 4 ms, in four passes. Who receives sees each step 1 us after
// its sender saw it sent.
struct RingOfProxies {
  RingOfProxies() {
    series.alike = {0, 1 << 20, kRanksOfRing, kRanksOfRing};
    series.steps = 12;
    series.communicator = 3;
    series.channel = 2;
    series.times.assign(kSeenTimes, 4'000 * kUs);
    for (uint32_t rank = 0; rank < kRanksOfRing; ++rank) {
      EdgeSamples& edge = series.edges.emplace_back();
      edge.from = rank;
      edge.to = (rank + 1) % kRanksOfRing;
      edge.network = true;
      edge.uptake.assign(kSeenTimes, kUs);
    }
  }
  // What this rank sends is seen so much later by the next one.
  void sees(uint32_t sender, int64_t us, size_t from = 0) {
    for (size_t m = from; m < kSeenTimes; ++m) series.edges[sender].uptake[m] = us * kUs;
  }
  std::optional<TransferExcess> always() const {
    SeenRing seen;
    seen.time = middle_of(series.times);
    return late_proxy(series, seen);
  }
  RingSeries series;
};

TEST(LateProxy, IsTheOneThatSeesLateWhatComesAndWhatItSent) {
  RingOfProxies ring;
  ring.sees(1, 101);
  ring.sees(2, -89);
  const auto found = ring.always();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->side, SlowSide::ReceiverProxy);
  EXPECT_EQ(found->actors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(found->communicator, 3u);
  EXPECT_EQ(found->channel, 2u);
  EXPECT_EQ(found->excess_ns, 400 * kUs) << "in each of four passes";
  EXPECT_EQ(found->usual_ns, 3'600 * kUs);
  EXPECT_EQ(found->across_ns, 100 * kUs);
  EXPECT_TRUE(found->sure);
}

TEST(LateProxy, CostsNoMoreThanNineTenths) {
  RingOfProxies ring;
  ring.sees(1, 1'401);
  ring.sees(2, -1'401);
  EXPECT_EQ(ring.always().value().excess_ns, 3'600 * kUs);
}

TEST(LateProxy, IsNobodysWhereOnlyWhatComesIsSeenLate) {
  RingOfProxies ring;
  ring.sees(1, 101);
  EXPECT_FALSE(ring.always()) << "the way may take long";
  ring.sees(2, -48);
  EXPECT_FALSE(ring.always()) << "less than half of that";
  ring.sees(2, -50);
  EXPECT_TRUE(ring.always());
}

TEST(LateProxy, IsNobodysWhereOnlyWhatIsSentIsSeenLate) {
  RingOfProxies ring;
  ring.sees(2, -99);
  EXPECT_FALSE(ring.always());
}

// Rank 2 receives late, and rank 0 sees its sends late.
TEST(LateProxy, IsNobodysWhereItIsNotOneRank) {
  RingOfProxies ring;
  ring.sees(1, 101);
  ring.sees(0, -99);
  EXPECT_FALSE(ring.always());
}

TEST(LateProxy, IsNobodysWhereAnotherIsLateAsWell) {
  RingOfProxies ring;
  ring.sees(1, 101);
  ring.sees(2, -99);
  ring.sees(3, 22);
  EXPECT_TRUE(ring.always());
  ring.sees(3, 42);
  EXPECT_FALSE(ring.always());
}

// Four times 15 us are less than 2 % of 4 ms.
TEST(LateProxy, IsNobodysWhereItIsATrifle) {
  RingOfProxies ring;
  ring.sees(1, 16);
  ring.sees(2, -14);
  EXPECT_FALSE(ring.always());
}

TEST(LateProxy, IsNobodysOfTwoHostsNorWhereStepsAreNotKnown) {
  RingOfProxies two;
  two.series.edges.resize(2);
  two.series.edges[1].to = 0;
  two.sees(0, 101);
  two.sees(1, -99);
  EXPECT_FALSE(two.always()) << "their clocks may differ";
  RingOfProxies unknown;
  unknown.sees(1, 101);
  unknown.sees(2, -99);
  unknown.series.edges[3].uptake.assign(kSeenTimes, kNoTime);
  EXPECT_FALSE(unknown.always());
}

// In the last 20 of 40 operations, which take 2 ms longer.
struct ProxyAtMoments : RingOfProxies {
  ProxyAtMoments() {
    for (uint32_t m = 0; m < kSeenTimes; ++m) {
      (m < kSeenTimes / 2 ? moments.usual : moments.slow).push_back(m);
      if (m >= kSeenTimes / 2) series.times[m] = 6'000 * kUs;
    }
    moments.usual_ns = 4'000 * kUs;
  }
  void sees_then(uint32_t sender, int64_t us) { sees(sender, us, kSeenTimes / 2); }
  std::optional<TransferExcess> at() {
    usual.assign(kRanksOfRing, UsualEdge());
    return late_proxy_at(series, moments, 6'000 * kUs, &usual);
  }
  SlowMoments moments;
  std::vector<UsualEdge> usual;
};

// Its clock is 30 us off as well, always.
TEST(LateProxyAtMoments, IsTheOneThatThenSeesLateWhatComes) {
  ProxyAtMoments ring;
  ring.sees(1, 31);
  ring.sees(2, -29);
  ring.sees_then(1, 531);
  const auto found = ring.at();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->side, SlowSide::ReceiverProxy);
  EXPECT_EQ(found->actors, (std::vector<uint32_t>{1, 2}));
  EXPECT_EQ(found->excess_ns, 2'000 * kUs);
  EXPECT_EQ(found->usual_ns, 4'000 * kUs);
  EXPECT_EQ(found->across_ns, 0) << "compared with its own other times";
  EXPECT_EQ(ring.usual[1].uptake_ns, 31 * kUs);
  EXPECT_EQ(ring.usual[2].uptake_ns, -29 * kUs);
}

TEST(LateProxyAtMoments, IsNobodysWhereItDoesNotMakeUpAQuarterOfWhatTheyTakeLonger) {
  ProxyAtMoments ring;
  ring.sees_then(1, 121);
  EXPECT_FALSE(ring.at());
  ring.sees_then(1, 131);
  EXPECT_TRUE(ring.at());
}

TEST(LateProxyAtMoments, IsNobodysWhereOthersAreLateAsWell) {
  ProxyAtMoments ring;
  ring.sees_then(1, 501);
  ring.sees_then(3, 101);
  EXPECT_TRUE(ring.at());
  ring.sees_then(3, 201);
  EXPECT_FALSE(ring.at());
}

// Four ranks, each on a host of its own, whose operations have two sizes in turn: too few of either are late in twelve
// of forty. Operations take 4 ms, and 6 ms where rank 2 sees steps 300 us late.
Judged judge_late_proxy(unsigned from, unsigned until) {
  return diagnose_hosts(4, 1, kSeenTimes, [&](int32_t rank, unsigned i) {
    const bool late = i >= from && i < until;
    driver::RankOperation op;
    op.sequence = i;
    op.count *= 1 + i % 2;
    op.channels = 1;
    op.steps = 12;
    op.network_ns = 50 * kUs;
    op.call_ns = 2'000 * kMs + i * 10 * kMs;
    op.kernel_ns = op.call_ns + 10 * kUs;
    op.finish_ns =
        op.kernel_ns + (late ? 6 : 4) * kMs + (i * 7 + static_cast<unsigned>(rank)) % 5 * 100;
    if (late && rank == 2) op.proxy_late_ns = 300 * kUs;
    return op;
  });
}

TEST(LateProxyAtMoments, IsTheFinding) {
  for (const unsigned from : {0u, 28u}) {
    const Judged judged = judge_late_proxy(from, kSeenTimes);
    ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
    EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowProxy) << judged.text();
    EXPECT_EQ(judged.findings[0].culprits, Ranks{2}) << judged.text();
  }
  EXPECT_TRUE(judge_late_proxy(0, 0).findings.empty());
}

TEST(LateProxyAtMoments, IsNobodysWhereNothingTells) {
  ProxyAtMoments ring;
  EXPECT_FALSE(ring.at());
  for (EdgeSamples& edge : ring.series.edges) edge.uptake.clear();
  EXPECT_FALSE(ring.at());
}

// Four ranks of one communicator, each a process, that receive four steps in each of 20 operations.
struct ProxyRounds {
  explicit ProxyRounds(const std::vector<int64_t>& step_us) {
    CommunicatorRow& comm = run.communicators.emplace_back();
    comm.nranks = static_cast<int32_t>(step_us.size());
    comm.members = static_cast<uint32_t>(step_us.size());
    for (uint32_t rank = 0; rank < step_us.size(); ++rank) {
      run.processes.emplace_back();
      own.actors.push_back({rank, 0});
      own.first_actor.push_back(rank);
      own.member_local.push_back(0);
      MemberRow& member = run.members.emplace_back();
      member.communicator = 0;
      member.process = rank;
      member.rank = static_cast<int32_t>(rank);
      for (int i = 0; i < 20; ++i) {
        OperationRow& row = run.operations.emplace_back();
        row.communicator = 0;
        row.process = rank;
        row.rank = static_cast<int32_t>(rank);
        row.proxy_ops = 2;
        row.steps = 8;
        row.send_steps = 4;
        row.flush_ns = 4 * step_us[rank] * kUs;
      }
    }
  }
  std::vector<SlowPart> named(std::vector<SlowPart> parts) const {
    name_late_rounds(run, own, &parts);
    return parts;
  }
  // From one rank to another.
  static SlowPart edge(uint32_t from, uint32_t to) {
    SlowPart part;
    part.communicator = 0;
    part.actors = {from};
    part.peer = to;
    part.took_ns = 4 * kMs;
    part.gain_ns = 10 * kMs;
    return part;
  }
  RunTables run;
  OwnSegments own;
};

TEST(LateRounds, AreThoseOfAThreadThatTakesFarLongerThanAllOthers) {
  const auto found = find_late_rounds(ProxyRounds({2, 3, 90, 2}).run);
  ASSERT_EQ(found.size(), 1u);
  const LateRounds& late = found.at(0);
  EXPECT_EQ(late.rank, 2);
  EXPECT_EQ(late.process, 2u);
  EXPECT_EQ(late.own_ns, 90 * kUs);
  EXPECT_EQ(late.others_ns, 2 * kUs);
  EXPECT_EQ(late.lost_ns, 180 * kUs) << "four steps, over two network operations";
  EXPECT_EQ(late.operations, 20u);
}

TEST(LateRounds, AreNobodysWhereTwoTakeAsLong) {
  EXPECT_TRUE(find_late_rounds(ProxyRounds({2, 60, 90, 2}).run).empty());
}

TEST(LateRounds, AreNobodysOnAMachineWhereOthersTakeAsLongNowAndThen) {
  ProxyRounds rounds({2, 3, 90, 2});
  for (size_t i = 0; i < 4; ++i) rounds.run.operations[i].flush_ns = 4 * 60 * kUs;
  EXPECT_EQ(find_late_rounds(rounds.run).size(), 1u);
  for (size_t i = 4; i < 8; ++i) rounds.run.operations[i].flush_ns = 4 * 60 * kUs;
  EXPECT_TRUE(find_late_rounds(rounds.run).empty());
}

// With GPUDirect RDMA on one host alone.
TEST(LateRounds, AreNotWhatAGpuTakesToAnswerARead) {
  EXPECT_TRUE(find_late_rounds(ProxyRounds({0, 0, 7, 0}).run).empty());
}

TEST(LateRounds, AreNotKnownOfFewOperations) {
  ProxyRounds rounds({2, 3, 90, 2});
  auto& all = rounds.run.operations;
  all.erase(all.begin() + 40, all.begin() + 53);  // of 20 of rank 2
  EXPECT_TRUE(find_late_rounds(rounds.run).empty());
}

TEST(LateRounds, AreThoseOfThePartsOfAnAllToAllNotOfItsWhole) {
  ProxyRounds rounds({2, 3, 90, 2});
  for (int i = 0; i < 40; ++i) {
    OperationRow whole = rounds.run.operations[40];  // of rank 2
    whole.kind = OpKind::Assembled;
    whole.flush_ns = 0;
    rounds.run.operations.push_back(whole);
  }
  EXPECT_EQ(find_late_rounds(rounds.run).size(), 1u);
}

TEST(LateRounds, OfWhoSendsOrReceivesWhatIsSlowNameThatThread) {
  const ProxyRounds rounds({2, 3, 90, 2});
  for (const SlowPart& slow : {ProxyRounds::edge(1, 2), ProxyRounds::edge(2, 3)}) {
    const std::vector<SlowPart> parts = rounds.named({slow});
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].actors, std::vector<uint32_t>{2});
    EXPECT_EQ(parts[0].peer, kNoRow);
    EXPECT_EQ(parts[0].side, SlowSide::ReceiverProxy);
    EXPECT_EQ(parts[0].gain_ns, 10 * kMs);
    EXPECT_TRUE(parts[0].late_rounds.has_value());
  }
}

TEST(LateRounds, AreOnePartHoweverManyOfItsEdgesAreSlow) {
  EXPECT_EQ(
      ProxyRounds({2, 3, 90, 2}).named({ProxyRounds::edge(1, 2), ProxyRounds::edge(2, 3)}).size(),
      1u);
}

TEST(LateRounds, SayNothingOfWhatOthersExchange) {
  const ProxyRounds rounds({2, 3, 90, 2});
  SlowPart slow = ProxyRounds::edge(0, 1);
  EXPECT_EQ(rounds.named({slow}).at(0).actors, std::vector<uint32_t>{0});
  slow.of_tree = true;  // whose edges show by their ends alone
  EXPECT_EQ(rounds.named({slow}).at(0).actors, std::vector<uint32_t>{2});
}

TEST(LateRounds, SayNothingWhereTheyMakeUpLittleOfWhatIsSlow) {
  SlowPart slow = ProxyRounds::edge(1, 2);
  slow.took_ns = 10 * kMs;
  EXPECT_EQ(ProxyRounds({2, 3, 90, 2}).named({slow}).at(0).actors, std::vector<uint32_t>{1});
}

}  // namespace
}  // namespace lockstep::analysis
