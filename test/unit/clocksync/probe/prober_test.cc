// What the whole method is worth, from the train's schedule to the solved interval, in virtual time:
// limits in nanoseconds that say something about the method alone. The real runs of test/clocksync
// are judged by their own packets instead.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

#include "test/simulation/simulated_probers.h"
#include "test/unit/durations.h"

namespace lockstep::clocksync {
namespace {

struct Worth {
  int64_t p99_ns = 0, half_p50_ns = 0;
  size_t instants = 0, missed = 0;
};

int64_t quantile(std::vector<int64_t> values, double share) {
  std::sort(values.begin(), values.end());
  return values.at(static_cast<size_t>(share * static_cast<double>(values.size() - 1)));
}

// The worst pair, from two seconds after the start on.
Worth worst_pair(const SimulatedProbers& probers) {
  Worth worst;
  for (size_t a = 0; a < probers.clocks.size(); ++a) {
    for (size_t b = a + 1; b < probers.clocks.size(); ++b) {
      const EdgeModel model = EdgeModel::solve(probers.bounds[a][b], EdgeOptions());
      std::vector<int64_t> errors, halves;
      for (int64_t t = model.from_raw_ns() + 2 * kSecond; t < model.to_raw_ns() - kSecond / 2;
           t += kSecond / 100) {
        const auto interval = model.at(t);
        if (!interval) continue;
        const int64_t truth_ns = probers.truth(a, b, t);
        errors.push_back(std::llabs(interval->estimate_ns() - truth_ns));
        halves.push_back(interval->width_ns() / 2);
        worst.missed += truth_ns < interval->lo_ns || truth_ns > interval->hi_ns ? 1 : 0;
      }
      worst.instants += errors.size();
      if (errors.empty()) continue;
      worst.p99_ns = std::max(worst.p99_ns, quantile(errors, 0.99));
      worst.half_p50_ns = std::max(worst.half_p50_ns, quantile(halves, 0.5));
    }
  }
  return worst;
}

Worth worth_of(const SimulatedNetwork& network, size_t hosts, int seconds) {
  return worst_pair(simulate_probers(usual_clocks(hosts), network, seconds, 1));
}

void expect_within(const Worth& worth, int64_t p99_ns, int64_t half_p50_ns) {
  testing::Test::RecordProperty("p99_ns", std::to_string(worth.p99_ns));
  testing::Test::RecordProperty("half_p50_ns", std::to_string(worth.half_p50_ns));
  EXPECT_GT(worth.instants, 500u);
  EXPECT_EQ(worth.missed, 0u);
  EXPECT_LE(worth.p99_ns, p99_ns);
  EXPECT_LE(worth.half_p50_ns, half_p50_ns);
}

TEST(Prober, TwoHostsOnAWireAgreeToFarBelowTheRoundTrip) {
  expect_within(worth_of({}, 2, 12), 20, 330);
}

TEST(Prober, ABusyMachineThatHoldsUpPacketsCostsNoAccuracy) {
  SimulatedNetwork busy;
  busy.late_share = 0.5;
  busy.late_ns = 300'000;
  expect_within(worth_of(busy, 2, 12), 20, 330);
}

TEST(Prober, EightHostsOnABridgeAgreePairByPair) {
  SimulatedNetwork bridge;
  bridge.floor_ns = 1700;
  bridge.jitter_ns = 300;
  expect_within(worth_of(bridge, 8, 14), 60, 1900);
}

TEST(Prober, MillisecondQueuesAreSeenThrough) {
  SimulatedNetwork router;
  router.floor_ns = 1700;
  router.late_share = 0.85;
  router.late_ns = 1'100'000;
  expect_within(worth_of(router, 2, 24), 60, 1900);
}

TEST(Prober, ApplicationStampsAreAFewMicrosecondsWorse) {
  SimulatedNetwork application;
  application.kernel_stamps = false;
  expect_within(worth_of(application, 2, 12), 500, 3500);
}

TEST(Prober, AnUnequalPathCostsHalfOfTheDifferenceAndNeverTheTruth) {
  SimulatedNetwork unequal;
  unequal.extra_upwards_ns = 20'000;
  unequal.jitter_ns = 5'000;
  unequal.loss = 0.02;
  const Worth worth = worth_of(unequal, 2, 12);
  EXPECT_EQ(worth.missed, 0u);
  EXPECT_GT(worth.p99_ns, 9'500);
  EXPECT_LT(worth.p99_ns, 12'000);
}

// What a prober costs is what it sends and receives: with eight neighbours at the defaults 240
// packets a second each way, and no more while the interval is as good as the path allows.
TEST(Prober, SettledPeersSendTenTrainsOfThreeASecond) {
  const SimulatedProbers two = simulate_probers(usual_clocks(2), {}, 12, 1);
  EXPECT_NEAR(static_cast<double>(two.packets_in_last_second), 2 * 30, 2 * 3);
  const SimulatedProbers nine = simulate_probers(usual_clocks(9), {}, 6, 1);
  EXPECT_NEAR(static_cast<double>(nine.packets_in_last_second), 72 * 30, 72 * 30 * 0.03);
}

}  // namespace
}  // namespace lockstep::clocksync
