// Who does the same work: the stages of a pipeline do not, even where there are but two, which call the same.
#include <random>

#include "test/unit/analysis/whatif/played_job.h"

namespace lockstep::analysis {
namespace {

// Two stages of three ranks, each on a host of its own, pass 16 micro-batches on and then their gradients back. The second
// stage has more to do for each, as where it computes the loss.
Judged two_stages(uint64_t more_ns) {
  constexpr int32_t kStage = 3;
  constexpr int kMicroBatches = 16;
  PlayedJob job(2 * kStage, kStage);
  std::mt19937 random{5};
  const auto work = [&](int32_t rank) {
    job.work(rank, 2 * kMs + random() % (60 * kUs) + (rank < kStage ? 0 : more_ns));
  };
  const auto pass = [&](int32_t from, int32_t to) {
    for (int i = 0; i < kMicroBatches; ++i) {
      work(from);
      job.send(from, to);
      job.receive(from, to);
    }
  };
  for (unsigned step = 0; step < 24; ++step) {
    for (int32_t rank = 0; rank < kStage; ++rank) {
      pass(rank, rank + kStage);
      pass(rank + kStage, rank);
    }
    job.collective(0, 200 * kUs);
  }
  return job.judge();
}

TEST(Roles, AreOthersForTwoStagesOfWhichOneSendsFirst) {
  const Judged judged = two_stages(600 * kUs);
  EXPECT_TRUE(judged.findings.empty()) << all_text(judged);
}

}  // namespace
}  // namespace lockstep::analysis
