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

}  // namespace
}  // namespace lockstep::analysis
