#include "clocksync/probe/load_guard.h"

#include <gtest/gtest.h>

#include "test/unit/durations.h"

namespace lockstep::clocksync {
namespace {

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

// A processor clock of its own: a look at the sockets in a flood, 25 a second at scale 1, costs
// from what a fast idle machine needs to a thousand times as much.
TEST(LoadGuard, HoldsTheCapWhateverALookCosts) {
  for (const int64_t look_ns : {10'000, 300'000, 1'000'000, 10'000'000}) {
    LoadGuard guard(2, 2000);
    int64_t cpu = 0, now = kSecond;
    guard.measure(cpu, now);
    for (int second = 1; second <= 60; ++second) {
      cpu += static_cast<int64_t>(25 * guard.scale() * static_cast<double>(look_ns));
      guard.measure(cpu, now += kSecond);
      if (second > 8) {
        EXPECT_LE(guard.cpu_percent(), 2.0) << look_ns << " ns, second " << second;
      }
    }
    EXPECT_EQ(guard.scale() == 1, look_ns < 500'000) << look_ns;
  }
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
