#include "clocksync/gpu_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "clocksync/clock_source.h"

namespace lockstep::clocksync {
namespace {

// A GPU whose clock counts in steps, 25 ppm off and in another epoch; kernels of 40 us every 5 ms.
struct Gpu {
  VirtualClockModel clock;
  int64_t step_ns = 32;
  std::vector<GpuWork> works;
  std::vector<int64_t> started_ns, stopped_ns;

  uint64_t stamp(int64_t host_ns) const { return uint64_t(clock.at(host_ns) / step_ns * step_ns); }
};

Gpu busy_gpu(int64_t step_ns, int count) {
  Gpu gpu;
  gpu.step_ns = step_ns;
  gpu.clock.offset_ns = 1'700'000'000'000'000'000;
  gpu.clock.skew_ppm = 25;
  std::mt19937_64 random(uint64_t(step_ns) + 1);
  std::exponential_distribution<double> late(1 / 8'000.0);
  for (int64_t i = 0; i < count; ++i) {
    GpuWork w;
    w.operation = uint64_t(i);
    w.channel = uint32_t(i % 2);
    w.launch_raw_ns = 1'000'000'000 + i * 5'000'000;
    const int64_t start = w.launch_raw_ns + 3'000 + std::llround(late(random));
    const int64_t stop = start + 40'000;
    w.start_stamp = gpu.stamp(start);
    w.stop_stamp = gpu.stamp(stop);
    w.start_seen_raw_ns = start + 1'500 + std::llround(late(random));
    w.stop_seen_raw_ns = stop + 1'500 + std::llround(late(random));
    gpu.works.push_back(w);
    gpu.started_ns.push_back(start);
    gpu.stopped_ns.push_back(stop);
  }
  return gpu;
}

void expect_all_inside(const Gpu& gpu, const GpuClock& clock) {
  for (size_t i = 0; i < gpu.works.size(); ++i) {
    const auto start = clock.to_host(gpu.works[i].start_stamp, gpu.works[i].start_seen_raw_ns);
    ASSERT_TRUE(start) << i;
    EXPECT_LE(start->lo_ns, gpu.started_ns[i]) << i;
    EXPECT_GE(start->hi_ns, gpu.started_ns[i]) << i;
    EXPECT_LT(std::llabs(start->ns - gpu.started_ns[i]), 2'500) << i;
  }
}

TEST(GpuClock, MapsStampsToTheHostWithinItsInterval) {
  for (const int64_t step_ns : {1, 32, 1024}) {
    const Gpu gpu = busy_gpu(step_ns, 800);
    const GpuClock clock = GpuClock::solve(gpu.works, {});
    EXPECT_EQ(clock.granularity_ns(), step_ns);
    expect_all_inside(gpu, clock);
    for (size_t i = 0; i < gpu.works.size(); ++i) EXPECT_EQ(clock.flags(i), 0) << i;
  }
}

TEST(GpuClock, BracketedSnapshotsNarrowTheInterval) {
  const Gpu gpu = busy_gpu(32, 800);
  std::vector<GpuSnapshot> snapshots;
  for (int64_t at = 1'000'000'000; at < 5'000'000'000; at += 100'000'000) {
    GpuSnapshot s;
    s.raw_lo_ns = at;
    s.raw_hi_ns = at + 1'500;
    s.gpu_ns = int64_t(gpu.stamp(at + 700));
    snapshots.push_back(s);
  }
  const GpuClock passive = GpuClock::solve(gpu.works, {}),
                 active = GpuClock::solve(gpu.works, snapshots);
  expect_all_inside(gpu, active);
  const auto wide = passive.model().at(3'000'000'000), narrow = active.model().at(3'000'000'000);
  ASSERT_TRUE(wide && narrow);
  EXPECT_LT(narrow->width_ns(), 1'700);
  EXPECT_GT(wide->width_ns(), 4'000);
}

TEST(GpuClock, FlagsStampsOfEarlierWorkAndIsNotMisled) {
  Gpu gpu = busy_gpu(32, 800);
  // From the middle on, channel 1 shows the stamps of its work ten operations ago: counters out of
  // step.
  const std::vector<GpuWork> real = gpu.works;
  for (size_t i = 401; i < 800; i += 2) {
    gpu.works[i].start_stamp = real[i - 10].start_stamp;
    gpu.works[i].stop_stamp = real[i - 10].stop_stamp;
  }
  const GpuClock clock = GpuClock::solve(gpu.works, {});
  for (size_t i = 0; i < 800; ++i) {
    const bool stale = i >= 401 && i % 2 == 1;
    EXPECT_EQ((clock.flags(i) & kStampSuspect) != 0, stale)
        << i << " flags " << int(clock.flags(i));
    if (stale) continue;
    const auto start = clock.to_host(gpu.works[i].start_stamp, gpu.works[i].start_seen_raw_ns);
    ASSERT_TRUE(start);
    EXPECT_LE(start->lo_ns, gpu.started_ns[i]);
    EXPECT_GE(start->hi_ns, gpu.started_ns[i]);
  }
}

TEST(GpuClock, FlagsMissingBackwardAndReusedStampsAndMarksSharedOnes) {
  Gpu gpu = busy_gpu(32, 200);
  gpu.works[10].start_stamp = 0;
  gpu.works[20].stop_stamp = gpu.works[18].stop_stamp;
  GpuWork fused = gpu.works[30];
  fused.operation = 1000;
  gpu.works.insert(gpu.works.begin() + 31, fused);
  const GpuClock clock = GpuClock::solve(gpu.works, {});

  EXPECT_EQ(clock.flags(10), kStampMissing);
  EXPECT_EQ(clock.flags(20), kStopBeforeStart);
  EXPECT_EQ(clock.flags(30), kSharedInterval);
  EXPECT_EQ(clock.flags(31), kSharedInterval);
  EXPECT_EQ(clock.flags(31) & kStampSuspect, 0);
}

TEST(GpuClock, FindsTheStepInSpiteOfSomeGarbage) {
  std::mt19937_64 random(3);
  std::vector<uint64_t> stamps;
  for (int i = 0; i < 4'000; ++i) stamps.push_back(random() % (1ull << 50) * 1024);
  for (int i = 0; i < 4'000; i += 900) stamps[size_t(i)] = random();
  EXPECT_EQ(detect_granularity_ns(stamps), 1024);
  EXPECT_EQ(detect_granularity_ns({1024, 2048}), 1);
}

TEST(GpuClock, SaysNothingWithoutObservations) {
  const GpuClock clock = GpuClock::solve({}, {});
  EXPECT_FALSE(clock.to_host(5, 5));
}

}  // namespace
}  // namespace lockstep::clocksync
