// Which operations are one trial where no call comes once in each.
#include "analysis/follow/trials.h"

#include <map>
#include <random>

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

// How many of the first rank's trials have so many operations.
unsigned whole(PlayedJob& job, unsigned operations) {
  const Judged judged = job.judge();
  const OwnSegments own = find_own_segments(*judged.run);
  const Roles roles = find_roles(*judged.run, own);
  const std::vector<uint32_t> trials = number_trials(*judged.run, own, roles);
  std::map<uint32_t, unsigned> lengths;
  for (const uint32_t a : own.order) {
    if (own.segments[a].actor == 0) ++lengths[trials[own.segments[a].launch]];
  }
  unsigned count = 0;
  for (const auto& [trial, length] : lengths) count += length == operations ? 1 : 0;
  return count;
}

TEST(Trials, OfServingAreRequestsThoughTheirSizesChange) {
  constexpr unsigned kRequests = 40, kCalls = 8, kSizes = 6;
  PlayedJob job(2, 1);
  std::mt19937_64 random(1);
  for (unsigned request = 0; request < kRequests; ++request) {
    job.size(uint64_t{1024} << (random() >> 11) % kSizes);
    for (unsigned layer = 0; layer < kCalls; ++layer) {
      for (const int32_t rank : {0, 1}) job.work(rank, kMs);
      job.collective(0);
    }
    job.collective(0, kMs, "AllGather");
  }
  EXPECT_GE(whole(job, kCalls + 1), kRequests - 1);
}

// A pipeline of two stages passes six micro-batches on and their gradients back, one by one or all at once, and reduces in
// two buckets of one size: nothing that it calls comes once in a step.
TEST(Trials, AreStepsWhereWhatIsCalledComesSeveralTimesInARow) {
  constexpr unsigned kAll = 20, kMicroBatches = 6, kBuckets = 2;
  for (const unsigned at_once : {kMicroBatches, 1u}) {
    PlayedJob job(2, 1);
    for (unsigned step = 0; step < kAll; ++step) {
      for (unsigned i = 0; i < 2 * kMicroBatches; ++i) {
        const int32_t from = i / at_once % 2;
        job.work(from, kMs);
        job.send(from, 1 - from);
        job.receive(from, 1 - from);
      }
      for (unsigned i = 0; i < kBuckets; ++i) job.collective(0);
    }
    EXPECT_GE(whole(job, 2 * kMicroBatches + kBuckets), kAll - 1) << at_once << " at once";
  }
}

TEST(Trials, AreStepsHoweverManyCallsTheyHave) {
  constexpr unsigned kAll = 20, kCalls = 150;
  PlayedJob job(2, 1);
  for (unsigned step = 0; step < kAll; ++step) {
    for (unsigned i = 0; i < kCalls; ++i) {
      for (const int32_t rank : {0, 1}) job.work(rank, kMs);
      job.collective(0);
    }
    job.collective(0, kMs, "AllGather");
  }
  EXPECT_GE(whole(job, kCalls + 1), kAll - 1);
}

}  // namespace
}  // namespace lockstep::analysis
