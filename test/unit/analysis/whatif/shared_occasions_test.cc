// Ranks that wait for each other all the time: whether they are late together, or some now and others then.
#include <functional>
#include <random>

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

constexpr int32_t kTensor = 4;
using LateIn = std::function<uint64_t(int32_t rank, uint64_t random)>;

// Two stages of a pipeline, each the tensor ranks of one host; the second has more to do.
Judged two_stages(const LateIn& late_ns) {
  PlayedJob job(2 * kTensor, kTensor);
  const unsigned stages[] = {job.communicator({0, 1, 2, 3}), job.communicator({4, 5, 6, 7})};
  std::mt19937_64 random{7};
  for (unsigned step = 0; step < 12; ++step) {
    for (unsigned batch = 0; batch < 4; ++batch) {
      for (const int32_t first : {0, kTensor}) {
        const uint64_t drawn = random() >> 11;
        for (int32_t rank = first; rank < first + kTensor; ++rank) {
          if (first != 0) job.receive(rank - kTensor, rank);
          job.work(rank, 3 * kMs + (first == 0 ? 0 : kMs / 2) + late_ns(rank, drawn));
        }
        job.collective(stages[first == 0 ? 0 : 1], 200 * kUs);
        for (int32_t rank = first; first == 0 && rank < kTensor; ++rank)
          job.send(rank, rank + kTensor);
      }
    }
    job.collective(0, 500 * kUs, "AllGather");
  }
  return job.judge();
}

// Two of the four ranks of a host are late at a time: nothing that they have in common holds the run up.
TEST(LateTogether, IsNotAHostWhoseRanksAreLateInTurn) {
  const Judged judged = two_stages([](int32_t rank, uint64_t random) {
    const bool now = (random + static_cast<uint64_t>(rank)) % kTensor < 2 && random / 4 % 3 == 0;
    return rank >= kTensor && now ? 2 * kMs : 0;
  });
  EXPECT_EQ(judged.findings.size(), 0u) << all_text(judged);
}

TEST(LateTogether, IsAHostWhoseRanksAreLateInTheSameOperations) {
  const Judged judged = two_stages([](int32_t rank, uint64_t random) {
    return rank >= kTensor && random / 4 % 6 == 0 ? 2 * kMs : 0;
  });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits.size(), 4u) << all_text(judged);
}

// Two hosts of four ranks. In every second step rank 4 is late by 10 ms, in every `turn`-th one of the others of its host,
// in turn, and then rank 1 may be.
Judged late_in_turn(unsigned turn, uint64_t others_of_host_ns, uint64_t rank_elsewhere_ns) {
  PlayedJob job(8, 4);
  for (unsigned i = 0; i < 60; ++i) {
    const bool others = i % turn == 1;
    const int32_t other = 5 + static_cast<int32_t>(i / turn % 3);
    for (int32_t rank = 0; rank < 8; ++rank) {
      uint64_t late_ns = 0;
      if (rank == 4 && i % 2 == 0) late_ns = 10 * kMs;
      if (rank == other && others) late_ns = others_of_host_ns;
      if (rank == 1 && i % 6 == 3) late_ns = rank_elsewhere_ns;
      job.work(rank, 4 * kMs + late_ns);
    }
    job.collective(0);
  }
  return job.judge();
}

// Whoever is the latest of a host hides the others: they wait for it, and are not late where it is.
TEST(LateTogether, IsAHostOfWhoseRanksOneOrAnotherIsLateAllTheTime) {
  const Judged judged = late_in_turn(2, 8 * kMs, 0);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, (std::vector<int32_t>{4, 5, 6, 7})) << all_text(judged);
  EXPECT_TRUE(std::get<LateFacts>(judged.findings[0].facts).whole_host);
}

TEST(LateTogether, IsNotAHostWhereSomebodyElsewhereIsAsLate) {
  const Judged judged = late_in_turn(2, 8 * kMs, 9 * kMs);
  ASSERT_FALSE(judged.findings.empty());
  for (const Finding& finding : judged.findings)
    EXPECT_EQ(finding.culprits.size(), 1u) << all_text(judged);
}

TEST(LateTogether, IsNotAHostWhoseOthersLoseLittleMoreThanSomebodyElsewhere) {
  const Judged judged = late_in_turn(2, 6 * kMs, 4 * kMs);
  ASSERT_FALSE(judged.findings.empty());
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{4}) << all_text(judged);
}

TEST(LateTogether, IsNotAHostWhoseOthersAreSeldomLate) {
  const Judged judged = late_in_turn(6, 5 * kMs, 0);
  ASSERT_FALSE(judged.findings.empty());
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{4}) << all_text(judged);
}

}  // namespace
}  // namespace lockstep::analysis
