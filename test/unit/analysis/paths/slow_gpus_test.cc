// Which GPU holds up what passes through its host on all channels.
#include "analysis/paths/slow_gpus.h"

#include <gtest/gtest.h>

#include <initializer_list>

#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr size_t kTimes = 40;

// Four hosts of two ranks. Channel 0 enters each host at its first rank and leaves it at its second, channel 1 the
// other way round. Operations take 3 ms; what passes through node1 takes 900 us longer than through other hosts.
struct Channels {
  Channels() {
    for (uint32_t rank = 0; rank < 8; ++rank) {
      ProcessRow& process = run.processes.emplace_back();
      process.host = run.strings.intern("node" + std::to_string(rank / 2));
      own.actors.push_back({rank, 0});
    }
    for (uint32_t channel = 0; channel < 2; ++channel) {
      RingSeries& one = series[channel];
      one.communicator = 3;
      one.channels = 2;
      one.channel = static_cast<uint8_t>(channel);
      one.times.assign(kTimes, 3 * kMs);
      one.apart.assign(kTimes, 10 * kUs);
      for (uint32_t host = 0; host < 4; ++host) {
        EdgeSamples& edge = one.edges.emplace_back();
        edge.from = 2 * host + 1 - channel;
        edge.to = 2 * ((host + 1) % 4) + channel;
        passes(channel, host, host == 1 ? 600 : -300);
      }
    }
  }
  // Through this host it takes so long, and the next one takes it up so much later than it was sent.
  void passes(uint32_t channel, uint32_t host, int64_t through_us, int64_t late_us = 0) {
    EdgeSamples& edge = series[channel].edges[host];
    edge.later.assign(kTimes, (through_us + late_us) * kUs);
    edge.lag.assign(kTimes, late_us * kUs);
  }
  std::vector<TransferExcess> judge() const {
    return excesses_of_gpu(run, own, {&series[0], &series[1]});
  }
  RunTables run;
  OwnSegments own;
  RingSeries series[2];
};

// The actor that is accused on both channels; kNoRow: none.
uint32_t accused(const Channels& channels) {
  const std::vector<TransferExcess> found = channels.judge();
  if (found.empty()) return kNoRow;
  EXPECT_EQ(found.size(), 2u);
  for (const TransferExcess& one : found) {
    EXPECT_EQ(one.side, SlowSide::Gpu);
    EXPECT_EQ(one.actors, found.front().actors);
  }
  return found.front().actors.front();
}

TEST(SlowGpu, IsTheOneThatTakesUpLateWhatEntersItsHost) {
  Channels channels;
  channels.passes(0, 0, -300, 100);
  EXPECT_EQ(accused(channels), 2u);
}

TEST(SlowGpu, MayBeTheOneAtWhichTheOtherChannelEnters) {
  Channels channels;
  channels.passes(1, 0, -300, 100);
  EXPECT_EQ(accused(channels), 3u);
}

TEST(SlowGpu, CostsEachChannelWhatItTakesLongerThroughItsHost) {
  Channels channels;
  channels.passes(1, 0, -300, 100);
  channels.passes(1, 1, 800);
  const std::vector<TransferExcess> found = channels.judge();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].excess_ns, 900 * kUs);
  EXPECT_EQ(found[1].excess_ns, 1'100 * kUs);
  EXPECT_EQ(found[1].usual_ns, 1'900 * kUs);
  EXPECT_EQ(found[1].channel, 1);
  EXPECT_EQ(found[1].communicator, 3u);
  EXPECT_TRUE(found[1].sure);
}

// However much longer: most of an operation's time is left.
TEST(SlowGpu, CostsNineTenthsOfTheTimeAtMost) {
  Channels channels;
  channels.passes(0, 0, -300, 100);
  channels.passes(0, 1, 4'000);
  EXPECT_EQ(channels.judge().at(0).excess_ns, 2'700 * kUs);
}

// What lies before the GPU is not what the host before takes to send it.
TEST(SlowGpu, DoesNotMakeTheHostBeforeSlow) {
  Channels channels;
  channels.passes(0, 0, 0, 550);
  EXPECT_EQ(accused(channels), 2u);
}

// Where a rank starts late, all that was sent before lies there for longer.
TEST(SlowGpu, ShowsWhereAllRanksHadStartedTogether) {
  Channels channels;
  channels.passes(0, 0, -300, 100);
  for (RingSeries& one : channels.series) {
    for (size_t m = 0; m < kTimes / 2 + 5; ++m) {
      one.apart[m] = 2 * kMs;
      one.edges[1].later[m] = -300 * kUs;
    }
  }
  EXPECT_EQ(accused(channels), 2u);
  EXPECT_TRUE(channels.judge().at(0).sure);
  for (RingSeries& one : channels.series) {
    one.apart.assign(kTimes, 2 * kMs);
    one.edges[1].later.assign(kTimes, 600 * kUs);
  }
  EXPECT_FALSE(channels.judge().at(0).sure);
}

// The host's way out shows the same, but nobody takes up late what comes in.
TEST(SlowGpu, IsNobodysWhereAllIsTakenUpInTime) { EXPECT_EQ(accused(Channels()), kNoRow); }

// Taken up late, but in less than the operation's noise.
TEST(SlowGpu, IsNobodysWhereLittleIsTakenUpLate) {
  Channels channels;
  channels.passes(0, 0, -300, 20);
  EXPECT_EQ(accused(channels), kNoRow);
}

// A slow link: the other channel passes its host as fast as others.
TEST(SlowGpu, IsNobodysWhereAChannelPassesInTime) {
  Channels channels;
  channels.passes(0, 0, -300, 100);
  channels.passes(1, 1, -300);
  EXPECT_EQ(accused(channels), kNoRow);
}

// Steps from node3 take three times as long in the network as others.
TEST(SlowGpu, IsNobodysWhereNetworkStepsShowASlowLink) {
  Channels channels;
  channels.passes(0, 0, -300, 100);
  for (RingSeries& one : channels.series) {
    for (uint32_t host = 0; host < 4; ++host) {
      one.edges[host].wire.assign(kTimes, 100 * kUs);
      one.edges[host].work.assign(kTimes, 100 * kUs);
    }
  }
  EXPECT_EQ(accused(channels), 2u);
  channels.series[0].edges[3].wire.assign(kTimes, 300 * kUs);
  EXPECT_EQ(accused(channels), 2u) << "steps that are sent together wait for each other";
  channels.series[0].edges[3].work.assign(kTimes, 300 * kUs);
  EXPECT_EQ(accused(channels), kNoRow);
}

// The way of a host to the network is slow in both directions, so that data waits in the host before it as well.
TEST(SlowGpu, IsNobodysWhereAnotherHostIsAsSlow) {
  Channels channels;
  channels.passes(0, 0, 500, 100);
  EXPECT_EQ(accused(channels), kNoRow);
}

TEST(SlowGpu, IsNobodysWhereTwoRanksTakeUpLate) {
  Channels channels;
  channels.passes(0, 0, -300, 100);
  channels.passes(1, 0, -300, 100);
  EXPECT_EQ(accused(channels), kNoRow);
}

// Both channels enter at the same ranks, and the other one is taken up in time there.
TEST(SlowGpu, IsNobodysWhereItTakesUpAnotherChannelInTime) {
  Channels channels;
  for (EdgeSamples& edge : channels.series[1].edges) --edge.to;
  channels.passes(0, 0, -300, 100);
  EXPECT_EQ(accused(channels), kNoRow);
}

// Who takes up late is on another host than the one that holds up the channels.
TEST(SlowGpu, IsNobodysWhereAnotherHostTakesUpLate) {
  Channels channels;
  channels.passes(0, 1, 600, 100);
  EXPECT_EQ(accused(channels), kNoRow);
}

TEST(SlowGpu, IsNobodysWhereNotAllChannelsAreKnown) {
  Channels channels;
  channels.passes(0, 0, -300, 100);
  channels.series[0].channels = channels.series[1].channels = 3;
  EXPECT_EQ(accused(channels), kNoRow);
}

TEST(SlowGpu, IsNobodysWhereItIsNotKnownWhenAllWasSent) {
  Channels channels;
  channels.passes(0, 0, -300, 100);
  channels.series[1].edges[2].lag.assign(kTimes, kNoTime);
  EXPECT_EQ(accused(channels), kNoRow);
}

// Of two hosts one takes longer, and the other less by as much.
TEST(SlowGpu, IsFoundOnOneOfTwoHosts) {
  Channels channels;
  for (RingSeries& one : channels.series) {
    one.edges.resize(2);
    one.edges[1].to = one.edges[1].to % 2;
  }
  channels.passes(0, 0, -400);
  channels.passes(1, 0, -400, 100);
  channels.passes(0, 1, 400);
  channels.passes(1, 1, 300);
  EXPECT_EQ(accused(channels), 3u);
}

}  // namespace
}  // namespace lockstep::analysis
