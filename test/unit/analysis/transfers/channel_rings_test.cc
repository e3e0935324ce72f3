// Jobs whose channels go round different rings: the first enters each host at its first rank and leaves it at
// its last, the second the other way about.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "analysis/transfers/channel_ways.h"
#include "test/unit/analysis/judge/judged.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int32_t kRanksOfHost = 2;
constexpr unsigned kOperationsOfChannels = 30, kStepsOfChannel = 14, kChannels = 2;

// By channel and host: how much later what it sends to the next one is done.
using Delays = std::array<std::vector<uint64_t>, kChannels>;
const Delays kNone{{{0, 0, 0, 0}, {0, 0, 0, 0}}};

driver::OnChannel on_channel(int32_t rank, unsigned channel, uint64_t begun_ns,
                             const std::vector<uint64_t>& delays) {
  const auto hosts = static_cast<int32_t>(delays.size());
  const int32_t host = rank / kRanksOfHost, ranks = hosts * kRanksOfHost;
  const bool first = rank % kRanksOfHost == 0;
  const auto self = static_cast<size_t>(host), before = (self + delays.size() - 1) % delays.size();
  driver::OnChannel here;
  const auto at = [&](int32_t other) { return (other + ranks) % ranks; };
  if (first == (channel == 0)) {
    here.previous = channel == 0 ? at(rank - 1) : at(rank - kRanksOfHost - 1);
    here.received_ns = begun_ns + 2 * kMs + delays[before];
  } else {
    here.next = channel == 0 ? at(rank + 1) : at(rank + kRanksOfHost + 1);
    here.sent_ns = begun_ns + 2 * kMs + delays[self];
  }
  return here;
}

Judged judge_channels(const Delays& delays, const std::string& algo = "RING") {
  return diagnose_hosts(
      static_cast<int32_t>(delays[0].size()) * kRanksOfHost, kRanksOfHost, kOperationsOfChannels,
      [&](int32_t rank, unsigned i) {
        driver::RankOperation op;
        op.algo = algo;
        op.sequence = i;
        op.channels = kChannels;
        op.steps = kStepsOfChannel;
        op.call_ns = 2'000 * kMs + i * 10 * kMs;
        op.kernel_ns = op.call_ns + 10 * kUs;
        // Times scatter by a little, and differently for each rank.
        const uint64_t scatter = (i * 7 + static_cast<unsigned>(rank) * 3) % 5 * 100;
        op.finish_ns = op.kernel_ns + 2 * kMs + scatter;
        for (unsigned channel = 0; channel < kChannels; ++channel) {
          op.on_channels.push_back(
              on_channel(rank, channel, op.kernel_ns + scatter, delays[channel]));
          for (const uint64_t delay_ns : delays[channel])
            op.finish_ns = std::max(op.finish_ns, op.kernel_ns + 2 * kMs + scatter + delay_ns);
        }
        return op;
      });
}

TEST(ChannelRings, AreFoundWhereEachChannelPassesEachHostOnce) {
  const Judged judged = judge_channels(kNone);
  std::vector<uint32_t> by_rank;
  const MatchRow& match = judged.run->matches.back();
  for (uint32_t a = 0; a < match.arrivals; ++a)
    by_rank.push_back(judged.run->arrivals[match.first_arrival + a].operation);
  const std::vector<ChannelRing> rings = channel_rings(*judged.run, by_rank);
  ASSERT_EQ(rings.size(), kChannels);
  for (const ChannelRing& ring : rings) {
    ASSERT_EQ(ring.edges.size(), kNone[0].size());
    for (const ChannelEdge& edge : ring.edges) {
      EXPECT_EQ(edge.from % kRanksOfHost, ring.channel == 0 ? 1u : 0u);
      EXPECT_EQ(edge.to % kRanksOfHost, ring.channel == 0 ? 0u : 1u);
      EXPECT_NE(channel_end_ns(*judged.run, by_rank[edge.to], ring.channel, false, edge.from),
                kNoTime);
      EXPECT_EQ(sending_channels(*judged.run, by_rank[edge.from]), 1u);
    }
  }
  // One of the hosts is not there.
  by_rank.resize(by_rank.size() - kRanksOfHost);
  EXPECT_TRUE(channel_rings(*judged.run, by_rank).empty());
}

TEST(ChannelRings, SayNothingWhereAllIsWell) {
  const Judged judged = judge_channels(kNone);
  EXPECT_TRUE(judged.findings.empty()) << judged.text();
}

// Neither of the channels' edges explains it: both end late.
TEST(ChannelRings, NameTheWayBetweenTwoHostsThatIsSlowOnAllChannels) {
  const Judged judged = judge_channels({{{0, 800 * kUs, 0, 0}, {0, 800 * kUs, 0, 0}}});
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text();
  EXPECT_EQ(judged.findings[0].kind, FindingKind::SlowLink);
  EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{2, 3})) << judged.text();
  EXPECT_NE(judged.text().find("host c"), std::string::npos) << judged.text();
}

TEST(ChannelRings, NameTheRankThatSendsSlowlyOnItsChannel) {
  const Judged judged = judge_channels({{{0, 800 * kUs, 0, 0}, {0, 0, 0, 0}}});
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3}) << judged.text();
  EXPECT_TRUE(std::get<PathFacts>(judged.findings[0].facts).steps);
}

// Its ends differ by more than it takes longer than the channel that is not slow.
TEST(ChannelRings, CostWhatTheSlowChannelTakesLongerThanTheOther) {
  const Judged judged = judge_channels(
      {{{0, 900 * kUs, 600 * kUs, 300 * kUs}, {500 * kUs, 500 * kUs, 500 * kUs, 500 * kUs}}});
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3}) << judged.text();
  const auto& facts = std::get<PathFacts>(judged.findings[0].facts);
  EXPECT_NEAR(static_cast<double>(facts.own_ns - facts.others_ns), 400e3, 2e3);
  EXPECT_NEAR(static_cast<double>(facts.others_ns), 2'500e3, 10e3);
}

// All channels are slow there. Data passes the slow way once in what their ends show, however many steps it has, and as
// the ends of four hosts differ by 0 in all, the slow one shows three quarters of that.
TEST(ChannelRings, CostWhatTheEndsShowWhereAllChannelsAreSlow) {
  const Judged judged = judge_channels({{{0, 800 * kUs, 0, 0}, {0, 800 * kUs, 0, 0}}});
  const auto& facts = std::get<PathFacts>(judged.findings.at(0).facts);
  EXPECT_NEAR(static_cast<double>(facts.own_ns - facts.others_ns), 800e3 * 4 / 3, 2e3);
}

// Over two hosts each passes every host once, but goes up and down.
TEST(ChannelRings, AreNotTakenForTrees) {
  const Delays delays{{{800 * kUs, 0}, {0, 800 * kUs}}};
  EXPECT_EQ(judge_channels(delays).findings.size(), 1u);
  const Judged judged = judge_channels(delays, "TREE");
  EXPECT_TRUE(judged.findings.empty()) << judged.text();
}

// One of two edges ends later whenever the other ends sooner: what the channel takes longer than the other is all there is.
TEST(ChannelRings, CountOfTwoHostsOnlyWhatTheChannelTakesLonger) {
  const Judged judged = judge_channels({{{600 * kUs, 0}, {450 * kUs, 450 * kUs}}});
  EXPECT_TRUE(judged.findings.empty()) << judged.text();
}

// It leaves its host on the first channel, which takes longest and costs all there is to win, and enters it on the second.
TEST(ChannelRings, NameTheRankThatIsSlowOnBothChannels) {
  const Judged judged = judge_channels({{{0, 800 * kUs, 0, 0}, {600 * kUs, 0, 0, 0}}});
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3}) << judged.text();
  EXPECT_NE(judged.text().find("What rank 3 of world sends and receives"), std::string::npos)
      << judged.text();
}

// Of an odd number of hosts: who sends to whom on any channel is one ring of all ranks, which no channel goes round.
TEST(ChannelRings, NameTheRankThatSendsSlowlyOnItsChannelOfThreeHosts) {
  const Judged judged = judge_channels({{{0, 800 * kUs, 0}, {0, 0, 0}}});
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3}) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
