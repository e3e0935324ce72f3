// When a rank holds the run up: by which moments others are compared with it.
#include <random>

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// Ranks that generate and then train. What they generate is never as long: now one comes last and now another, by up to 60 ms.
// Rank `slow` computes gradients longer, each time.
Judged generate_and_train(int32_t slow) {
  PlayedJob job(8, 4);
  std::mt19937_64 random(17);
  for (unsigned step = 0; step < 40; ++step) {
    const auto longest = static_cast<int32_t>((random() >> 11) % 8);
    for (int32_t rank = 0; rank < 8; ++rank)
      job.work(rank, 20 * kMs + (rank == longest ? 20 * kMs + (random() >> 11) % (40 * kMs) : 0));
    job.collective(0, kMs, "AllGather");
    for (int32_t rank = 0; rank < 8; ++rank)
      job.work(rank, 20 * kMs + (random() >> 11) % (200 * kUs) + (rank == slow ? 12 * kMs : 0));
    job.collective(0);
  }
  return job.judge();
}

TEST(Occasions, OfWhoIsLateBeforeOneCallEachTimeAreNotThoseOfOthersBeforeAnother) {
  const Judged judged = generate_and_train(3);
  ASSERT_EQ(judged.findings.size(), 1u) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{3});
  const auto& facts = std::get<LateFacts>(judged.findings[0].facts);
  EXPECT_EQ(facts.pattern.when, WhenLate::Throughout) << judged.text();
}

TEST(Occasions, OfRanksThatGenerateLongerNowAndThenShowNothing) {
  const Judged judged = generate_and_train(-1);
  EXPECT_TRUE(judged.findings.empty()) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
