#include "clocksync/solve/gpu_clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "clocksync/wire/clock_source.h"

namespace lockstep::clocksync {
namespace {

struct Work {
  int64_t launched_ns = 0, start_seen_ns = 0, stop_seen_ns = 0;
  uint64_t start_stamp = 0, stop_stamp = 0;
};

// A GPU whose clock counts in steps, 25 ppm off and in another epoch; kernels of 40 us every 5 ms.
struct Gpu {
  VirtualClockModel clock;
  int64_t step_ns = 32;
  std::vector<Work> works;
  std::vector<int64_t> started_ns;

  uint64_t stamp(int64_t host_ns) const { return uint64_t(clock.at(host_ns) / step_ns * step_ns); }
};

constexpr int64_t kBeginNs = 1'000'000'000;

// Launches run so far ahead of the GPU as `queued_ns` says.
Gpu busy_gpu(int64_t step_ns, int count, int64_t queued_ns) {
  Gpu gpu;
  gpu.step_ns = step_ns;
  gpu.clock.offset_ns = 1'700'000'000'000'000'000;
  gpu.clock.skew_ppm = 25;
  std::mt19937_64 random(uint64_t(step_ns) + 1);
  std::exponential_distribution<double> late(1 / 8'000.0);
  for (int64_t i = 0; i < count; ++i) {
    Work w;
    w.launched_ns = kBeginNs + i * 5'000'000;
    const int64_t start = w.launched_ns + queued_ns + 3'000 + std::llround(late(random));
    const int64_t stop = start + 40'000;
    w.start_stamp = gpu.stamp(start);
    w.stop_stamp = gpu.stamp(stop);
    w.start_seen_ns = start + 1'500 + std::llround(late(random));
    w.stop_seen_ns = stop + 1'500 + std::llround(late(random));
    gpu.works.push_back(w);
    gpu.started_ns.push_back(start);
  }
  return gpu;
}

GpuClockEvidence sightings(const Gpu& gpu) {
  GpuClockEvidence evidence;
  for (const Work& w : gpu.works) {
    evidence.seen(w.start_stamp, w.start_seen_ns);
    evidence.seen(w.stop_stamp, w.stop_seen_ns);
  }
  return evidence;
}

GpuClock solve(const Gpu& gpu, GpuClockEvidence evidence) {
  for (const Work& w : gpu.works) evidence.launched(w.launched_ns, w.start_stamp);
  return evidence.solve();
}

void expect_inside(const Gpu& gpu, const GpuClock& clock, size_t i, int64_t most_error_ns) {
  const auto start = clock.to_host(gpu.works[i].start_stamp, gpu.works[i].start_seen_ns);
  ASSERT_TRUE(start) << i;
  EXPECT_LE(start->lo_ns, gpu.started_ns[i]) << i;
  EXPECT_GE(start->hi_ns, gpu.started_ns[i]) << i;
  EXPECT_LT(std::llabs(start->ns - gpu.started_ns[i]), most_error_ns) << i;
}

TEST(GpuClock, MapsStampsToTheHostWithinItsInterval) {
  for (const int64_t step_ns : {1, 32, 1024}) {
    const Gpu gpu = busy_gpu(step_ns, 800, 0);
    GpuClockEvidence evidence = sightings(gpu);
    for (const Work& w : gpu.works)
      EXPECT_FALSE(evidence.is_before_launch(w.start_stamp, w.launched_ns));
    const GpuClock clock = solve(gpu, evidence);
    EXPECT_EQ(clock.granularity_ns(), step_ns);
    for (size_t i = 0; i < gpu.works.size(); ++i) expect_inside(gpu, clock, i, 2'500);
  }
}

// A host that runs ahead fills the GPU's queue: its launches say little, the sightings still do.
TEST(GpuClock, EstimatesFromTheSightingsWhereLaunchesRunAhead) {
  const Gpu gpu = busy_gpu(32, 800, 2'000'000);
  const GpuClock clock = solve(gpu, sightings(gpu));
  for (size_t i = 0; i < gpu.works.size(); ++i) expect_inside(gpu, clock, i, 5'000);
  const auto start = clock.to_host(gpu.works[400].start_stamp, gpu.works[400].start_seen_ns);
  EXPECT_GT(start->ns - start->lo_ns, 1'900'000);
}

TEST(GpuClock, BracketedSnapshotsNarrowTheInterval) {
  const Gpu gpu = busy_gpu(32, 800, 0);
  GpuClockEvidence active = sightings(gpu);
  for (int64_t at = kBeginNs; at < kBeginNs + 4'000'000'000; at += 100'000'000) {
    GpuSnapshot s;
    s.raw_lo_ns = at;
    s.raw_hi_ns = at + 1'500;
    s.gpu_ns = int64_t(gpu.stamp(at + 700));
    s.granularity_ns = 32;
    active.snapshot(s);
  }
  const GpuClock narrow_clock = solve(gpu, active), wide_clock = solve(gpu, sightings(gpu));
  for (size_t i = 0; i < gpu.works.size(); ++i) expect_inside(gpu, narrow_clock, i, 1'000);
  const auto wide = wide_clock.model().at(3'000'000'000),
             narrow = narrow_clock.model().at(3'000'000'000);
  ASSERT_TRUE(wide && narrow);
  EXPECT_LT(narrow->width_ns(), 1'700);
  EXPECT_GT(wide->width_ns(), 4'000);
}

TEST(GpuClock, KnowsStampsOfEarlierWorkAndIsNotMisled) {
  Gpu gpu = busy_gpu(32, 800, 0);
  // From the middle on, every other kernel shows the stamps of ten operations ago: counters out of
  // step.
  const std::vector<Work> real = gpu.works;
  const auto is_stale = [](size_t i) { return i >= 401 && i % 2 == 1; };
  for (size_t i = 401; i < 800; i += 2) {
    gpu.works[i].start_stamp = real[i - 10].start_stamp;
    gpu.works[i].stop_stamp = real[i - 10].stop_stamp;
  }
  GpuClockEvidence evidence = sightings(gpu);
  for (size_t i = 0; i < 800; ++i) {
    const Work& w = gpu.works[i];
    EXPECT_EQ(evidence.is_before_launch(w.start_stamp, w.launched_ns), is_stale(i)) << i;
    // In whatever order it is asked.
    const size_t other = i * 389 % 800;
    const Work& any = gpu.works[other];
    EXPECT_EQ(evidence.is_before_launch(any.start_stamp, any.launched_ns), is_stale(other)) << i;
    if (!is_stale(i)) evidence.launched(w.launched_ns, w.start_stamp);
  }
  const GpuClock clock = evidence.solve();
  for (size_t i = 0; i < 800; ++i) {
    if (!is_stale(i)) expect_inside(gpu, clock, i, 2'500);
  }
}

// What is guaranteed holds on any grid; the estimate moves little.
TEST(GpuClock, IsAlmostAsGoodWhereItIsSolvedRoughly) {
  const Gpu gpu = busy_gpu(32, 4'000, 0);
  GpuClockEvidence evidence = sightings(gpu);
  for (const Work& w : gpu.works) evidence.launched(w.launched_ns, w.start_stamp);
  const GpuClock fine = GpuClockEvidence(evidence).solve(),
                 rough = evidence.solve(GpuPrecision::Rough);
  for (size_t i = 0; i < gpu.works.size(); ++i) {
    const Work& w = gpu.works[i];
    const auto exact = fine.to_host(w.start_stamp, w.start_seen_ns);
    const auto near = rough.to_host(w.start_stamp, w.start_seen_ns);
    ASSERT_TRUE(exact && near);
    EXPECT_LE(near->lo_ns, gpu.started_ns[i]) << i;
    EXPECT_GE(near->hi_ns, gpu.started_ns[i]) << i;
    EXPECT_LT(std::llabs(near->ns - exact->ns), 300) << i;
  }
}

TEST(GpuClock, EstimatesTheSameForWhoAsksForNoBounds) {
  const Gpu gpu = busy_gpu(32, 4'000, 0);
  GpuClockEvidence evidence = sightings(gpu);
  const GpuClock unbounded = GpuClockEvidence(evidence).solve(GpuPrecision::Rough);
  for (const Work& w : gpu.works) evidence.launched(w.launched_ns, w.start_stamp);
  const GpuClock clock = evidence.solve(GpuPrecision::Rough);
  for (const Work& w : gpu.works) {
    EXPECT_EQ(clock.estimate(w.stop_stamp, w.stop_seen_ns)->ns,
              clock.to_host(w.stop_stamp, w.stop_seen_ns)->ns);
    EXPECT_NE(clock.estimate(w.stop_stamp, w.stop_seen_ns)->lo_ns, INT64_MIN);
    EXPECT_EQ(unbounded.estimate(w.stop_stamp, w.stop_seen_ns)->lo_ns, INT64_MIN);
  }
}

TEST(GpuClock, WorksOutNoBoundsOfAnEstimateThatIsWellInside) {
  const Gpu gpu = busy_gpu(32, 4'000, 0);
  GpuClockEvidence evidence = sightings(gpu);
  for (const Work& w : gpu.works) evidence.launched(w.launched_ns, w.start_stamp);
  const GpuClock clock = evidence.solve(GpuPrecision::Rough);
  for (const Work& w : gpu.works) {
    const auto all = clock.to_host(w.start_stamp, w.start_seen_ns);
    const auto ask = [&](int64_t from_raw_ns, int64_t to_raw_ns) {
      const auto time = clock.estimate_in(w.start_stamp, w.start_seen_ns, from_raw_ns, to_raw_ns);
      EXPECT_EQ(time->ns, all->ns);
      return time->hi_ns - time->lo_ns;
    };
    EXPECT_EQ(ask(all->ns - 1'000, all->ns + 1'000), 0);
    EXPECT_EQ(ask(all->ns, INT64_MAX), all->hi_ns - all->lo_ns);
    EXPECT_EQ(ask(INT64_MIN, all->ns), all->hi_ns - all->lo_ns);
  }
}

TEST(GpuClock, ForgetsNoSightingThatSaysMoreThanOneBeforeIt) {
  const Gpu gpu = busy_gpu(32, 400, 0);
  GpuClockEvidence late_first, late_last;
  for (const Work& w : gpu.works) {
    for (const int64_t later_ns : {3'000, 0})
      late_first.seen(w.start_stamp, w.start_seen_ns + later_ns);
    for (const int64_t later_ns : {0, 3'000})
      late_last.seen(w.start_stamp, w.start_seen_ns + later_ns);
  }
  const GpuClock first = solve(gpu, std::move(late_first)), last = solve(gpu, std::move(late_last));
  for (const Work& w : gpu.works) {
    const auto of_first = first.to_host(w.start_stamp, w.start_seen_ns);
    const auto of_last = last.to_host(w.start_stamp, w.start_seen_ns);
    EXPECT_EQ(of_first->lo_ns, of_last->lo_ns);
    EXPECT_EQ(of_first->hi_ns, of_last->hi_ns);
  }
}

// The clocks drift on until a sighting that comes so late that it proves nothing.
TEST(GpuClock, ReachesToTheLastSighting) {
  VirtualClockModel clock;
  clock.skew_ppm = 100;
  GpuClockEvidence evidence;
  for (int64_t at = 0; at < 10'000'000; at += 1'000'000) {
    GpuSnapshot s;
    s.raw_lo_ns = kBeginNs + at;
    s.raw_hi_ns = s.raw_lo_ns + 400;
    s.gpu_ns = clock.at(s.raw_lo_ns + 200);
    s.granularity_ns = 1;
    evidence.snapshot(s);
  }
  const int64_t made_ns = kBeginNs + 80'000'000, seen_ns = made_ns + 5'000'000;
  evidence.seen(uint64_t(clock.at(made_ns)), seen_ns);
  const auto made = evidence.solve().to_host(uint64_t(clock.at(made_ns)), seen_ns);
  ASSERT_TRUE(made);
  EXPECT_LE(made->lo_ns, made_ns);
  EXPECT_GE(made->hi_ns, made_ns);
}

TEST(GpuClock, EstimatesAndGuaranteesNothingWithoutLaunches) {
  const Gpu gpu = busy_gpu(32, 100, 0);
  const GpuClock clock = sightings(gpu).solve();
  const auto start = clock.to_host(gpu.works[50].start_stamp, gpu.works[50].start_seen_ns);
  ASSERT_TRUE(start);
  EXPECT_EQ(start->lo_ns, INT64_MIN);
  EXPECT_EQ(start->hi_ns, INT64_MAX);
  EXPECT_LT(std::llabs(start->ns - gpu.started_ns[50]), 10'000);
}

TEST(GpuClock, FindsTheStepInSpiteOfSomeGarbage) {
  std::mt19937_64 random(3);
  std::vector<uint64_t> stamps;
  for (int i = 0; i < 4'000; ++i) stamps.push_back(random() % (1ull << 50) * 32);
  for (int i = 0; i < 4'000; i += 900) stamps[size_t(i)] = random();
  EXPECT_EQ(detect_granularity_ns(stamps), 32);
  EXPECT_EQ(detect_granularity_ns({1024 * 32, 2048 * 32}), kWidestGpuStepNs);
  EXPECT_EQ(detect_granularity_ns(std::vector<uint64_t>(1'000, 4096)), kWidestGpuStepNs);
}

// Differences alone would make the step too wide.
TEST(GpuClock, SeesThatStampsAreNoMultiplesOfWhatTheyLieApart) {
  std::vector<uint64_t> stamps;
  for (uint64_t i = 0; i < 1'000; ++i) stamps.push_back(i % 7 * 1024 + i * 4096 + 96);
  EXPECT_EQ(detect_granularity_ns(stamps), 32);
}

// Another tool that attaches makes the driver count in finer steps.
TEST(GpuClock, FindsTheStepOfEachMinute) {
  std::mt19937_64 random(4);
  GpuSteps steps;
  for (int64_t i = 0; i < 200; ++i) {
    const int64_t minute = i < 100 ? 1 : 2;
    steps.add(random() % (1ull << 50) * (minute == 1 ? 1024 : 32), minute * 60'000'000'000 + i);
  }
  EXPECT_EQ(steps.at(60'000'000'000), 1024);
  EXPECT_EQ(steps.at(120'000'000'000), 32);
  EXPECT_EQ(steps.at(180'000'000'000), 1024) << "not known: the widest";
}

// The clock may become coarser within a minute: what is guaranteed must hold for all of it.
TEST(GpuClock, TakesTheWidestStepOfAMinute) {
  std::mt19937_64 random(4);
  GpuSteps steps;
  for (int i = 0; i < 1'000; ++i)
    steps.add(random() % (1ull << 50) * (i < 900 ? 32 : 1024), 60'000'000'000);
  EXPECT_EQ(steps.at(60'000'000'000), 1024);
}

TEST(GpuClock, SaysNothingWithoutObservations) {
  EXPECT_FALSE(GpuClockEvidence().solve().to_host(5, 5));
}

}  // namespace
}  // namespace lockstep::clocksync
