// A pipeline of two stages whose gradients are reduced while more are computed: who waits for a late stage is
// late for its own peers, and no more than that.
#include <random>

#include "analysis/follow/followed_run.h"
#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int32_t kReplicasOfStage = 4;
constexpr unsigned kStepsOfPipeline = 20, kBucketsOfStep = 4;

// Ranks 0 to 3 receive gradients from ranks 4 to 7, and reduce theirs in buckets. `late_ns`: by rank.
Judged judge_pipeline(const std::vector<uint64_t>& late_ns) {
  PlayedJob job(2 * kReplicasOfStage, 1);
  const unsigned data = job.communicator({0, 1, 2, 3});
  job.collective(0);
  for (unsigned step = 0; step < kStepsOfPipeline; ++step) {
    std::vector<uint64_t> ready_ns(kReplicasOfStage);
    const auto scatter_ns = [&](int32_t rank) {
      return uint64_t{(step * 7 + static_cast<unsigned>(rank) * 3) % 5} * 5'000;
    };
    for (int32_t rank = kReplicasOfStage; rank < 2 * kReplicasOfStage; ++rank)
      job.work(rank, 10 * kMs + scatter_ns(rank) + late_ns[static_cast<size_t>(rank)]);
    for (int32_t rank = 0; rank < kReplicasOfStage; ++rank) {
      job.send(rank + kReplicasOfStage, rank);
      job.receive(rank + kReplicasOfStage, rank);
      ready_ns[static_cast<size_t>(rank)] = job.now_ns(rank);
    }
    for (unsigned bucket = 0; bucket < kBucketsOfStep; ++bucket) {
      for (int32_t rank = 0; rank < kReplicasOfStage; ++rank) {
        uint64_t& ready = ready_ns[static_cast<size_t>(rank)];
        ready += 3 * kMs + scatter_ns(rank) + late_ns[static_cast<size_t>(rank)];
        job.work(rank, std::max(ready, job.now_ns(rank)) - job.now_ns(rank));
      }
      job.collective(data);
    }
    job.collective(0);
  }
  return job.judge();
}

TEST(PeersAhead, ExcuseWhoIsLateForALateStageOnly) {
  const Judged judged = judge_pipeline({0, 0, 0, 0, 0, 0, 12 * kMs, 0});
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{6});
}

TEST(PeersAhead, DoNotExcuseWhoIsLateByHimself) {
  const Judged judged = judge_pipeline({0, 0, 2 * kMs, 0, 0, 0, 0, 0});
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{2});
}

// Ranks 2 and 3 send the gradients of each micro-batch to ranks 0 and 1, which wait for them. Rank 3 takes longer
// for each in some steps.
TEST(PeersAhead, AreNotThoseWhoReceiveFromALateRank) {
  constexpr unsigned kMicroBatches = 4;
  constexpr uint64_t kLateNs = 2 * kMs;
  PlayedJob job(4, 1);
  job.collective(0);
  uint64_t late_ns = 0;
  for (unsigned step = 0; step < kStepsOfPipeline; ++step) {
    for (const int32_t rank : {0, 1}) job.work(rank, 2 * kMs);
    for (unsigned i = 0; i < kMicroBatches; ++i) {
      const uint64_t more_ns = step % 4 == 3 ? kLateNs : 0;
      for (const int32_t rank : {2, 3}) {
        job.work(rank, 5 * kMs + (rank == 3 ? more_ns : 0));
        job.send(rank, rank - 2);
        job.receive(rank, rank - 2);
      }
      late_ns += more_ns;
    }
    job.collective(0);
  }
  const FollowedRun followed = follow_run(*job.judge().run);
  int64_t found_ns = 0;
  for (const uint32_t a : followed.own.order) {
    if (followed.own.actors[followed.own.segments[a].actor].process == 3)
      found_ns += followed.excesses.ns[a];
  }
  EXPECT_GE(found_ns * 10, static_cast<int64_t>(late_ns) * 9);
}

// Rank 1 computes half as long again as the others, who do while they wait in the first of six reductions what the next ones
// reduce, and show nothing of it: a third of each step is lost, and not all that rank 1 computes between two reductions.
TEST(PeersAhead, MayHaveDoneTheSameWorkWhileTheyWaited) {
  PlayedJob job(4, 4);
  std::mt19937_64 random(9);
  std::vector<uint64_t> ready_ns(4);
  for (unsigned step = 0; step < 20; ++step) {
    for (unsigned bucket = 0; bucket < 6; ++bucket) {
      job.size(bucket == 0 ? 32768 : 16384);
      for (int32_t rank = 0; rank < 4; ++rank) {
        uint64_t& ready = ready_ns[static_cast<size_t>(rank)];
        const uint64_t work_ns = (bucket == 0 ? 40 : 5) * kMs + (random() >> 11) % (100 * kUs);
        ready = bucket == 0 ? job.now_ns(rank) : ready;
        ready += rank == 1 ? work_ns * 3 / 2 : work_ns;
        job.work(rank, std::max(ready, job.now_ns(rank)) - job.now_ns(rank));
      }
      job.collective(0);
    }
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{1});
  EXPECT_NEAR(cost_share(judged.findings[0]), 0.33, 0.03) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
