// Steps that take everybody longer: the first, each rank its own time, and those with a checkpoint of the whole job.
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

// A pipeline of two stages of three ranks, each stage on a host of its own; in some steps all wait for a checkpoint.
Judged pipeline_with_checkpoints(const std::function<uint64_t(int32_t rank)>& more_ns) {
  constexpr int32_t kStage = 3;
  PlayedJob job(2 * kStage, kStage);
  const unsigned stages[] = {job.communicator({0, 1, 2}), job.communicator({3, 4, 5})};
  std::mt19937 random{11};
  for (unsigned step = 0; step < 28; ++step) {
    if (step % 7 == 6) {
      for (int32_t rank = 0; rank < 2 * kStage; ++rank) job.work(rank, 80 * kMs);
    }
    const auto work = [&](int32_t rank) {
      job.work(rank, 3 * kMs + random() % (60 * kUs) + more_ns(rank));
    };
    for (int32_t rank = 0; rank < kStage; ++rank) {
      work(rank);
      job.send(rank, rank + kStage);
      job.receive(rank, rank + kStage);
      work(rank + kStage);
      job.send(rank + kStage, rank);
      job.receive(rank + kStage, rank);
      work(rank);
    }
    for (const unsigned stage : stages) job.collective(stage, 200 * kUs, "ReduceScatter");
    job.collective(0, 50 * kUs);
  }
  return job.judge();
}

TEST(Checkpoints, OfTheWholeJobHideNobodyWhoIsSlowThroughout) {
  const Judged judged =
      pipeline_with_checkpoints([](int32_t rank) { return rank == 1 ? 600 * kUs : 0; });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(world_ranks(judged), std::vector<int32_t>{1});
}

TEST(Checkpoints, OfTheWholeJobAccuseNobody) {
  const Judged judged = pipeline_with_checkpoints([](int32_t) { return 0; });
  EXPECT_TRUE(judged.findings.empty()) << all_text(judged);
}

}  // namespace
}  // namespace lockstep::analysis
