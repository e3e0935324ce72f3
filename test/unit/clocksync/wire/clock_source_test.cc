#include "clocksync/wire/clock_source.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace lockstep::clocksync {
namespace {

// A clock that shows what the test says; REALTIME is RAW + 1 s.
class FixedClock final : public ClockSource {
 public:
  int64_t now_ns = 1'000'000'000'000;
  int64_t raw_ns() const override { return now_ns; }
  ClockSnapshot snapshot() const override {
    ClockSnapshot s;
    s.raw_ns = now_ns;
    s.real_ns = now_ns + 1'000'000'000;
    s.bracket_ns = 40;
    return s;
  }
  RawStamp to_raw(int64_t real_ns, const ClockSnapshot& near) const override {
    return {near.raw_ns + (real_ns - near.real_ns), near.bracket_ns / 2};
  }
};

TEST(HostClock, ASnapshotLiesBetweenTwoReadingsAndConvertsItsOwnRealTimeExactly) {
  const HostClock clock;
  const int64_t before = clock.raw_ns();
  const ClockSnapshot s = clock.snapshot();
  const int64_t after = clock.raw_ns();

  EXPECT_GE(s.raw_ns, before);
  EXPECT_LE(s.raw_ns, after);
  EXPECT_EQ(clock.to_raw(s.real_ns, s).raw_ns, s.raw_ns);
  EXPECT_EQ(clock.to_raw(s.real_ns, s).uncertainty_ns, (s.bracket_ns + 1) / 2);
  EXPECT_EQ(clock.to_raw(s.real_ns - 1'000'000, s).uncertainty_ns, (s.bracket_ns + 1) / 2 + 500);
}

TEST(HostClock, AStepOfRealTimeIsToldFromSlewing) {
  ClockSnapshot before, slewed, stepped;
  before.bracket_ns = slewed.bracket_ns = stepped.bracket_ns = 50;
  slewed.raw_ns = stepped.raw_ns = 100'000'000;
  slewed.real_ns = 100'000'000 + 49'000;  // 490 ppm over 0.1 s
  stepped.real_ns = 100'000'000 - 60'000;

  EXPECT_FALSE(realtime_stepped(before, slewed));
  EXPECT_TRUE(realtime_stepped(before, stepped));
}

TEST(VirtualClock, DistortsByOffsetSkewWanderAndSteps) {
  VirtualClockModel model;
  model.x0_ns = 0;
  model.offset_ns = 1'230'000'000;
  model.skew_ppm = 37;
  EXPECT_EQ(model.at(1'000'000'000) - 1'000'000'000, 1'230'037'000);

  model.wander_ppm = 0.05;
  model.wander_period_s = 10;
  EXPECT_EQ(model.at(5'000'000'000) - 5'000'000'000, 1'230'185'000 + 159);  // 50 ns/s * 10 s / pi
  EXPECT_NEAR(model.max_curvature_ns_s2(), 31.4, 0.1);

  model.steps = {{6'000'000'000, -700}};
  EXPECT_EQ(model.at(6'000'000'000) - model.at(5'999'999'999), 1 - 700);
}

TEST(VirtualClock, ConvertsKernelStampsExactlyEvenFarFromTheSnapshot) {
  FixedClock base;
  VirtualClockModel model;
  model.x0_ns = base.now_ns;
  model.offset_ns = -5'000'000'000;
  model.skew_ppm = 200;
  const VirtualClock clock(base, model);
  const ClockSnapshot near = clock.snapshot();

  const int64_t stamped_true_ns = base.now_ns + 50'000'000;
  const RawStamp stamp = clock.to_raw(stamped_true_ns + 1'000'000'000, near);

  EXPECT_LE(std::llabs(stamp.raw_ns - model.at(stamped_true_ns)), stamp.uncertainty_ns - 20 + 1);
}

TEST(VirtualClock, IsParsedFromTextAndAWrongKeyIsNamed) {
  const FixedClock base;
  const auto model =
      parse_virtual_clock("offset_ns=-7,skew_ppm=1.5,wander_ppm=0.1,step=2.5:900", base);
  ASSERT_TRUE(model.ok()) << model.message();
  EXPECT_EQ(model.value().offset_ns, -7);
  EXPECT_EQ(model.value().skew_ppm, 1.5);
  ASSERT_EQ(model.value().steps.size(), 1u);
  EXPECT_EQ(model.value().steps[0].at_ns, base.now_ns + 2'500'000'000);
  EXPECT_EQ(model.value().steps[0].jump_ns, 900);

  const auto wrong = parse_virtual_clock("skew=1", base);
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.message().find("'skew=1'"), std::string::npos);
  EXPECT_FALSE(parse_virtual_clock("skew_ppm=1x", base).ok());
}

}  // namespace
}  // namespace lockstep::clocksync
