#include "clocksync/probe/edge_machine.h"

#include <gtest/gtest.h>

#include "clocksync/probe/load_guard.h"

namespace lockstep::clocksync {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

struct Story {
  EdgeMachine machine{EdgeRates(), 0};
  int64_t now = 0;

  // Lets seconds pass; the peer is heard each tenth of a second, or silent.
  void pass(double seconds, bool heard) {
    for (int i = 0; i < static_cast<int>(seconds * 10); ++i) {
      now += kSecond / 10;
      if (heard) machine.heard(now);
      machine.tick(now);
    }
  }
  void adapt(int times, const EdgeQuality& quality, double scale) {
    for (int i = 0; i < times; ++i) {
      pass(1, true);
      machine.adapt(quality, scale, now);
    }
  }
};

TEST(EdgeMachine, BurstsForTwoSecondsAndThenSettles) {
  Story story;
  EXPECT_EQ(story.machine.phase(), EdgePhase::Hello);
  EXPECT_EQ(story.machine.trains_per_s(), 0);
  story.machine.session_proven(story.now);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Burst);
  EXPECT_EQ(story.machine.trains_per_s(), 100);
  story.pass(2.1, true);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Steady);
  EXPECT_EQ(story.machine.trains_per_s(), 10);
}

TEST(EdgeMachine, GoesDownWithoutAnAnswerAndAsksEverMoreRarely) {
  Story story;
  story.pass(10.1, false);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Down);
  EXPECT_EQ(story.machine.reason(), "no answer");
  int hellos = 0;
  for (int i = 0; i < 6000; ++i) {
    story.now += kSecond / 10;
    if (!story.machine.hello_due(story.now)) continue;
    story.machine.hello_sent(story.now, 0.5);
    ++hellos;
  }
  EXPECT_GT(hellos, 10);
  EXPECT_LT(hellos, 20);  // 600 s: about one a minute
}

TEST(EdgeMachine, SuspectsSilenceAndRecovers) {
  Story story;
  story.machine.session_proven(0);
  story.pass(5, true);
  story.pass(3.1, false);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Suspect);
  EXPECT_EQ(story.machine.trains_per_s(), 0);
  story.pass(1, true);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Steady);
  story.pass(10.1, false);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Down);
  story.pass(0.1, true);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Burst);
}

TEST(EdgeMachine, DoublesForAWideIntervalAndGivesUpWithoutGain) {
  Story story;
  story.machine.session_proven(0);
  story.pass(3, true);
  EdgeQuality wide;
  wide.half_width_ns = 9000;
  wide.floor_ns = 1000;
  story.adapt(2, wide, 1);
  EXPECT_EQ(story.machine.trains_per_s(), 40);
  EXPECT_TRUE(story.machine.wants_faster());
  story.adapt(28, wide, 1);
  EXPECT_EQ(story.machine.trains_per_s(), 10);  // more packets bought nothing
  EXPECT_FALSE(story.machine.wants_faster());
}

TEST(EdgeMachine, KeepsTheRateWhenTheIntervalIsAsGoodAsThePath) {
  Story story;
  story.machine.session_proven(0);
  story.pass(3, true);
  EdgeQuality good;
  good.half_width_ns = 1090;
  good.floor_ns = 1000;
  story.adapt(30, good, 1);
  EXPECT_EQ(story.machine.trains_per_s(), 10);
}

TEST(EdgeMachine, FollowsThePeersWish) {
  Story story;
  story.machine.session_proven(0);
  story.pass(3, true);
  EdgeQuality quality;
  quality.peer_wants_faster = true;
  story.adapt(10, quality, 1);
  EXPECT_EQ(story.machine.trains_per_s(), 100);
}

TEST(EdgeMachine, BacksOffUnderTheCapsAndComesBack) {
  Story story;
  story.machine.session_proven(0);
  story.pass(3, true);
  story.adapt(1, EdgeQuality(), 0.3);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Backoff);
  EXPECT_EQ(story.machine.trains_per_s(), 2);
  story.adapt(1, EdgeQuality(), 1);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Steady);
}

TEST(EdgeMachine, EndsAtAByeUntilANewSession) {
  Story story;
  story.machine.session_proven(0);
  story.pass(3, true);
  story.machine.said_bye(story.now);
  story.pass(1, true);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Down);
  EXPECT_EQ(story.machine.reason(), "bye");
  story.machine.session_proven(story.now);
  EXPECT_EQ(story.machine.phase(), EdgePhase::Burst);
}

TEST(LoadGuard, SlowsDownAboveTheCpuCapAndRecovers) {
  LoadGuard guard(2, 2000);
  int64_t cpu = 0, now = kSecond;
  guard.measure(cpu, now);
  for (int i = 0; i < 5; ++i) guard.measure(cpu += kSecond / 10, now += kSecond);  // 10 %
  EXPECT_LT(guard.scale(), 0.3);
  EXPECT_NEAR(guard.cpu_percent(), 10, 0.1);
  for (int i = 0; i < 30; ++i) guard.measure(cpu += kSecond / 1000, now += kSecond);  // 0.1 %
  EXPECT_EQ(guard.scale(), 1);
}

TEST(LoadGuard, SendsNoMorePacketsPerSecondThanAllowed) {
  LoadGuard guard(2, 100);
  int sent = 0;
  for (int64_t now = kSecond; now < 3 * kSecond; now += kSecond / 1000)
    sent += guard.may_send(now) ? 1 : 0;
  EXPECT_EQ(sent, 200);
}

TEST(LoadGuard, CallsAThousandBadPacketsInASecondAFlood) {
  LoadGuard guard(2, 100);
  guard.rejected(1000, kSecond);
  EXPECT_FALSE(guard.flooded(kSecond));
  guard.rejected(1, kSecond + 1);
  EXPECT_TRUE(guard.flooded(kSecond + 1));
  EXPECT_TRUE(guard.flooded(5 * kSecond));
  EXPECT_FALSE(guard.flooded(7 * kSecond));
}

}  // namespace
}  // namespace lockstep::clocksync
