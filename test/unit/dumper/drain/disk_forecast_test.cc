#include "dumper/drain/disk_forecast.h"

#include <gtest/gtest.h>

namespace lockstep::dumper {
namespace {

constexpr uint64_t kSecondNs = 1000000000;

TEST(DiskForecast, IsNotKnownBeforeASecondHasPassed) {
  DiskForecast forecast;
  forecast.look(5 * kSecondNs, 100);
  forecast.look(5 * kSecondNs + 1000, 1000000);
  EXPECT_EQ(forecast.bytes_per_hour(), 0u);
  forecast.look(6 * kSecondNs, 1100);
  EXPECT_EQ(forecast.bytes_per_hour(), 3600u * 1000);
}

TEST(DiskForecast, RestsOnTheLastMinuteOnly) {
  DiskForecast forecast;
  for (uint64_t s = 0; s <= 100; ++s) forecast.look(s * kSecondNs, s * 1000);
  for (uint64_t s = 101; s <= 160; ++s) forecast.look(s * kSecondNs, 100000);
  EXPECT_EQ(forecast.bytes_per_hour(), 0u);
}

TEST(DiskForecast, GoesBackOneLookWhereLooksAreMinutesApart) {
  DiskForecast forecast;
  forecast.look(0, 0);
  forecast.look(1800 * kSecondNs, 500);
  forecast.look(3600 * kSecondNs, 2500);
  EXPECT_EQ(forecast.bytes_per_hour(), 4000u);
}

}  // namespace
}  // namespace lockstep::dumper
