#include "clocksync/wire/stamp_converter.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace lockstep::clocksync {
namespace {

// RAW is the time itself; REALTIME runs `slew` faster from `since` on, after a jump of `step`.
class FakeClock final : public ClockSource {
 public:
  int64_t now = 1'000'000'000'000;
  double slew = 0;
  int64_t since = 0, step = 0;

  int64_t real_at(int64_t raw) const {
    const int64_t base = raw + 1'700'000'000'000'000'000;
    return raw < since
               ? base
               : base + step + static_cast<int64_t>(slew * static_cast<double>(raw - since));
  }
  int64_t raw_ns() const override { return now; }
  ClockSnapshot snapshot() const override {
    ClockSnapshot snapshot;
    snapshot.raw_ns = now;
    snapshot.real_ns = real_at(now);
    snapshot.bracket_ns = 40;
    return snapshot;
  }
  RawStamp to_raw(int64_t real_ns, const ClockSnapshot& near) const override {
    return HostClock().to_raw(real_ns, near);
  }
};

TEST(StampConverter, IsExactForOldStampsWhileTheClocksRunEvenly) {
  FakeClock clock;
  StampConverter converter(clock);
  for (int i = 0; i < 100; ++i) {
    clock.now += 10'000'000;
    ASSERT_TRUE(converter.close_batch());
  }
  const int64_t raw = clock.now - 7'000'000;
  const auto stamp = converter.to_raw(clock.real_at(raw));
  ASSERT_TRUE(stamp);
  EXPECT_EQ(stamp->raw_ns, raw);
  EXPECT_LE(stamp->uncertainty_ns, 25);
}

TEST(StampConverter, HoldsTheTruthWhileRealtimeIsSlewed) {
  FakeClock clock;
  StampConverter converter(clock);
  for (int i = 0; i < 100; ++i) {
    clock.now += 10'000'000;
    ASSERT_TRUE(converter.close_batch());
  }
  // The slew starts in the middle of a batch: the worst instant.
  clock.since = clock.now + 4'000'000;
  clock.slew = 400e-6;
  for (int batch = 0; batch < 300; ++batch) {
    const int64_t start = clock.now;
    clock.now += 10'000'000;
    ASSERT_TRUE(converter.close_batch()) << batch;
    for (int64_t raw = start; raw < clock.now; raw += 500'000) {
      const auto stamp = converter.to_raw(clock.real_at(raw));
      ASSERT_TRUE(stamp);
      EXPECT_LE(std::llabs(stamp->raw_ns - raw), stamp->uncertainty_ns)
          << batch << " " << raw - start;
    }
  }
}

TEST(StampConverter, DropsStampsAroundAStepOfRealtime) {
  FakeClock clock;
  StampConverter converter(clock);
  clock.now += 10'000'000;
  ASSERT_TRUE(converter.close_batch());
  clock.since = clock.now + 1;
  clock.step = -3'000'000;
  clock.now += 10'000'000;
  EXPECT_FALSE(converter.close_batch());
  EXPECT_FALSE(converter.to_raw(clock.real_at(clock.now - 1000)));
  clock.now += 10'000'000;
  EXPECT_TRUE(converter.close_batch());
  EXPECT_TRUE(converter.to_raw(clock.real_at(clock.now - 1000)));
}

TEST(StampConverter, RefusesStampsFromElsewhere) {
  FakeClock clock;
  StampConverter converter(clock);
  clock.now += 10'000'000;
  ASSERT_TRUE(converter.close_batch());
  EXPECT_FALSE(converter.to_raw(clock.real_at(clock.now - 1'000'000'000)));
  EXPECT_FALSE(converter.to_raw(clock.real_at(clock.now + 1'000'000'000)));
}

}  // namespace
}  // namespace lockstep::clocksync
