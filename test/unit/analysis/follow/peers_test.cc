// A server and its workers, which exchange with it alone.
#include "analysis/follow/peers.h"

#include <random>

#include "test/unit/analysis/whatif/played_job.h"

namespace lockstep::analysis {
namespace {

// No two workers are as far from their server, and yet they do the same.
TEST(Peers, OfOneServerDoTheSame) {
  constexpr int32_t kRanks = 6;
  PlayedJob job(kRanks, kRanks);
  std::mt19937 random{7};
  for (unsigned step = 0; step < 30; ++step) {
    for (int32_t worker = 1; worker < kRanks; ++worker) {
      job.work(worker, 4 * kMs + random() % (100 * kUs) + (worker == 3 ? 2 * kMs : 0));
      job.send(worker, 0);
    }
    for (int32_t worker = 1; worker < kRanks; ++worker) job.receive(worker, 0);
    job.work(0, kMs);
    for (int32_t worker = 1; worker < kRanks; ++worker) job.send(0, worker);
    for (int32_t worker = 1; worker < kRanks; ++worker) job.receive(0, worker);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(world_ranks(judged), Ranks{3});
}

// What a server sends to one worker after the other takes longer and longer, as it shares its way: nobody is slow.
TEST(Peers, OfAServerAreNotComparedByHowLongItTakesToSendToThem) {
  constexpr int32_t kRanks = 6;
  PlayedJob job(kRanks, 1);
  std::mt19937 random{7};
  for (unsigned step = 0; step < 30; ++step) {
    for (int32_t worker = 1; worker < kRanks; ++worker) {
      job.work(worker, 4 * kMs + random() % (100 * kUs));
      job.send(worker, 0, kMs);
    }
    for (int32_t worker = 1; worker < kRanks; ++worker) job.receive(worker, 0);
    for (int32_t worker = 1; worker < kRanks; ++worker)
      job.send(0, worker, static_cast<uint64_t>(worker) * 4 * kMs + random() % (100 * kUs));
    for (int32_t worker = 1; worker < kRanks; ++worker) job.receive(0, worker);
  }
  const Judged judged = job.judge();
  EXPECT_TRUE(judged.findings.empty()) << all_text(judged);
}

}  // namespace
}  // namespace lockstep::analysis
