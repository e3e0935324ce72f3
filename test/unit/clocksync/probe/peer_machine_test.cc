#include "clocksync/probe/peer_machine.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::clocksync {
namespace {

struct Story {
  PeerMachine machine{PeerRates(), 0};
  int64_t now = 0;

  // Lets seconds pass; the peer is heard each tenth of a second, or silent.
  void pass(double seconds, bool heard) {
    for (int i = 0; i < static_cast<int>(seconds * 10); ++i) {
      now += kSecond / 10;
      if (heard) machine.heard(now);
      machine.tick(now);
    }
  }
  void adapt(int times, const PeerQuality& quality, double scale) {
    for (int i = 0; i < times; ++i) {
      pass(1, true);
      machine.adapt(quality, scale, now);
    }
  }
};

TEST(PeerMachine, BurstsForTwoSecondsAndThenSettles) {
  Story story;
  EXPECT_EQ(story.machine.phase(), PeerPhase::Hello);
  EXPECT_EQ(story.machine.trains_per_s(), 0);
  story.machine.session_proven(story.now);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Burst);
  EXPECT_EQ(story.machine.trains_per_s(), 100);
  story.pass(2.1, true);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Steady);
  EXPECT_EQ(story.machine.trains_per_s(), 10);
}

TEST(PeerMachine, GoesDownWithoutAnAnswerAndAsksEverMoreRarely) {
  Story story;
  story.pass(10.1, false);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Down);
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

TEST(PeerMachine, SuspectsSilenceAndRecovers) {
  Story story;
  story.machine.session_proven(0);
  story.pass(5, true);
  story.pass(3.1, false);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Suspect);
  EXPECT_EQ(story.machine.trains_per_s(), 0);
  story.pass(1, true);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Steady);
  story.pass(10.1, false);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Down);
  story.pass(0.1, true);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Burst);
}

TEST(PeerMachine, DoublesForAWideIntervalAndGivesUpWithoutGain) {
  Story story;
  story.machine.session_proven(0);
  story.pass(3, true);
  PeerQuality wide;
  wide.half_width_ns = 9000;
  wide.floor_ns = 1000;
  story.adapt(2, wide, 1);
  EXPECT_EQ(story.machine.trains_per_s(), 40);
  EXPECT_TRUE(story.machine.wants_faster());
  story.adapt(28, wide, 1);
  EXPECT_EQ(story.machine.trains_per_s(), 10);  // more packets bought nothing
  EXPECT_FALSE(story.machine.wants_faster());
}

TEST(PeerMachine, KeepsTheRateWhenTheIntervalIsAsGoodAsThePath) {
  Story story;
  story.machine.session_proven(0);
  story.pass(3, true);
  PeerQuality good;
  good.half_width_ns = 1090;
  good.floor_ns = 1000;
  story.adapt(30, good, 1);
  EXPECT_EQ(story.machine.trains_per_s(), 10);
}

TEST(PeerMachine, FollowsThePeersWish) {
  Story story;
  story.machine.session_proven(0);
  story.pass(3, true);
  PeerQuality quality;
  quality.peer_wants_faster = true;
  story.adapt(10, quality, 1);
  EXPECT_EQ(story.machine.trains_per_s(), 100);
}

TEST(PeerMachine, BacksOffUnderTheCapsAndComesBack) {
  Story story;
  story.machine.session_proven(0);
  story.pass(3, true);
  story.adapt(1, PeerQuality(), 0.3);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Backoff);
  EXPECT_EQ(story.machine.trains_per_s(), 2);
  story.adapt(1, PeerQuality(), 1);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Steady);
}

TEST(PeerMachine, EndsAtAByeUntilANewSession) {
  Story story;
  story.machine.session_proven(0);
  story.pass(3, true);
  story.machine.said_bye(story.now);
  story.pass(1, true);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Down);
  EXPECT_EQ(story.machine.reason(), "bye");
  story.machine.session_proven(story.now);
  EXPECT_EQ(story.machine.phase(), PeerPhase::Burst);
}

}  // namespace
}  // namespace lockstep::clocksync
