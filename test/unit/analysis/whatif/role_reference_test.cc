// The first training step takes everybody several times as long, and each rank its own time.
#include <functional>
#include <random>

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

using Factor = std::function<double(int32_t rank, unsigned step)>;

// Training steps of four all-reduces with 2 ms of work before each, and an all-gather.
Judged training(unsigned steps, const Factor& times_as_long) {
  constexpr int32_t kRanks = 4;
  PlayedJob job(kRanks, kRanks);
  std::mt19937 random{7};
  for (unsigned step = 0; step < steps; ++step) {
    for (unsigned i = 0; i < 5; ++i) {
      for (int32_t rank = 0; rank < kRanks; ++rank) {
        const double jitter = 1 + 0.01 * static_cast<double>(random() % 7);
        job.work(rank, static_cast<uint64_t>(2e6 * jitter * times_as_long(rank, step)));
      }
      job.collective(0, 500 * kUs, i == 4 ? "AllGather" : "AllReduce");
    }
  }
  return job.judge();
}

double warm_up(int32_t rank, unsigned step) {
  return step == 0 ? 6 + (rank == 3 ? 3 : 0.3 * rank) : 1;
}

TEST(WarmUp, AccusesNobodyWhoTakesLongerForItThanTheOthers) {
  const Judged judged = training(14, warm_up);
  EXPECT_EQ(judged.findings.size(), 0u) << all_text(judged);
}

TEST(WarmUp, DoesNotHideWhoIsSlowThroughout) {
  const Judged judged = training(
      8, [](int32_t rank, unsigned step) { return (step == 0 ? 12 : 1) * (rank == 1 ? 1.5 : 1); });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{1});
}

TEST(WarmUp, HidesNobodyWhoDoesMoreThanWarmUp) {
  const Judged judged = training(14, [](int32_t rank, unsigned step) {
    return warm_up(rank, step) * (rank == 2 && step < 4 ? 4 : 1);
  });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{2});
}

}  // namespace
}  // namespace lockstep::analysis
