// Where a training step begins, however alike what it calls is.
#include "analysis/follow/training_steps.h"

#include "analysis/follow/followed_run.h"
#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kStepsTried = 20;

// How many operations of rank 0 are in each training step.
std::vector<size_t> lengths_of_steps(const Judged& judged) {
  const FollowedRun followed = follow_run(*judged.run);
  const std::vector<uint32_t> steps =
      number_training_steps(*judged.run, followed.own, followed.roles, followed.excesses.trial);
  std::map<uint32_t, size_t> lengths;
  for (const uint32_t a : followed.own.order) {
    if (followed.own.segments[a].actor == 0) ++lengths[steps[followed.own.segments[a].launch]];
  }
  std::vector<size_t> all;
  for (const auto& [step, length] : lengths) all.push_back(length);
  return all;
}

template <class Step>
Judged play_steps(const Step& step, unsigned steps = kStepsTried) {
  PlayedJob job(2, 1);
  for (unsigned i = 0; i < steps; ++i) step(&job, i);
  return job.judge();
}

void reduce(PlayedJob* job, uint64_t work_ns, const char* func = "AllReduce") {
  for (const int32_t rank : {0, 1}) job->work(rank, work_ns);
  job->collective(0, kMs, func);
}

TEST(TrainingSteps, ShowByHowCallsRepeat) {
  const Judged judged = play_steps([](PlayedJob* job, unsigned) {
    for (int layer = 0; layer < 4; ++layer) reduce(job, kMs, "AllGather");
    for (int layer = 0; layer < 4; ++layer) {
      reduce(job, kMs, "AllGather");
      reduce(job, kMs, "ReduceScatter");
    }
  });
  const std::vector<size_t> lengths = lengths_of_steps(judged);
  EXPECT_GE(std::count(lengths.begin(), lengths.end(), 12u), kStepsTried - 1);
}

TEST(TrainingSteps, OfOneOperationOverAndOverBeginAfterPauses) {
  const Judged judged = play_steps([](PlayedJob* job, unsigned i) {
    const uint64_t times = i < 2 ? 10 : 1;  // warming up
    reduce(job, 20 * kMs * times);
    for (int bucket = 1; bucket < 5; ++bucket) reduce(job, 2 * kMs * times);
  });
  const std::vector<size_t> lengths = lengths_of_steps(judged);
  EXPECT_GE(std::count(lengths.begin(), lengths.end(), 5u), kStepsTried - 2);
  EXPECT_LE(lengths.size(), kStepsTried + 1);
}

TEST(TrainingSteps, AreNotHalvesOfWhatIsTheSameButForOneOperation) {
  const Judged judged = play_steps([](PlayedJob* job, unsigned) {
    for (int bucket = 0; bucket < 40; ++bucket) reduce(job, kMs);
    reduce(job, kMs, "AllGather");
  });
  EXPECT_EQ(judged.run->matches.back().step, kStepsTried);
}

TEST(TrainingSteps, ShowWhereTheLossIsReducedInSomeOfThemOnly) {
  constexpr unsigned kTwice = 2 * kStepsTried;
  const auto step = [](PlayedJob* job, unsigned i) {
    reduce(job, 20 * kMs);
    for (int bucket = 1; bucket < 5; ++bucket) reduce(job, 2 * kMs);
    if (i % 4 == 3) reduce(job, kMs, "AllGather");
  };
  EXPECT_GE(lengths_of_steps(play_steps(step, kTwice)).size(), kTwice - 1);
}

TEST(TrainingSteps, AreNotLayersBehindPauses) {
  const Judged judged = play_steps([](PlayedJob* job, unsigned) {
    for (int layer = 0; layer < 6; ++layer) {
      reduce(job, 20 * kMs);
      reduce(job, 2 * kMs);
    }
    reduce(job, kMs, "AllGather");
  });
  EXPECT_LE(lengths_of_steps(judged).size(), kStepsTried + 1);
}

// Both take some times as long in the first two steps, rank 1 somewhat more so.
TEST(TrainingSteps, ShowWhoOnlyWarmsUp) {
  const Judged judged = play_steps([](PlayedJob* job, unsigned i) {
    for (int bucket = 0; bucket < 5; ++bucket) {
      const uint64_t ns = (bucket == 0 ? 20 : 4) * kMs;
      job->work(0, ns * (i < 2 ? 4 : 1));
      job->work(1, ns * (i < 2 ? 5 : 1));
      job->collective(0);
    }
  });
  EXPECT_TRUE(judged.findings.empty()) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
