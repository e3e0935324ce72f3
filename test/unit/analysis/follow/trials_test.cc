// Which operations are one trial where no call comes once in each.
#include "analysis/follow/trials.h"

#include <map>
#include <random>

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

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
  const Judged judged = job.judge();
  const OwnSegments own = find_own_segments(*judged.run);
  const Roles roles = find_roles(*judged.run, own);
  const std::vector<uint32_t> trials = number_trials(*judged.run, own, roles);
  std::map<uint32_t, unsigned> lengths;  // of the first rank's trials
  for (const uint32_t a : own.order) {
    if (own.segments[a].actor == 0) ++lengths[trials[own.segments[a].launch]];
  }
  unsigned whole = 0;
  for (const auto& [trial, length] : lengths) whole += length == kCalls + 1 ? 1 : 0;
  EXPECT_GE(whole, kRequests - 1);
}

}  // namespace
}  // namespace lockstep::analysis
