// Who does most of what takes a run its time, and what no other rank does.
#include "analysis/account/sole_roles.h"

#include <gtest/gtest.h>

#include "test/unit/analysis/whatif/played_job.h"

namespace lockstep::analysis {
namespace {

SoleRoles sole_roles_of(const Judged& judged) {
  return find_sole_roles(*judged.run, follow_run(*judged.run));
}

// Each of three ranks sends what it has done to the next one; rank 1 does five times as much.
TEST(SoleRoles, AreThoseThatDoMostAndHaveNobodyOfTheirRole) {
  PlayedJob job(3, 3);
  for (unsigned i = 0; i < 40; ++i) {
    for (int32_t rank = 0; rank < 3; ++rank) {
      if (rank > 0) job.receive(rank - 1, rank);
      job.work(rank, rank == 1 ? 5 * kMs : 1 * kMs);
      if (rank < 2) job.send(rank, rank + 1);
    }
  }
  const SoleRoles sole = sole_roles_of(job.judge());
  EXPECT_EQ(sole.actors, std::vector<uint32_t>{1});
  EXPECT_GT(sole.share_percent, 80);
}

// What is usual for it, the others tell.
TEST(SoleRoles, AreNobodysWhoseRoleOthersHave) {
  PlayedJob job(4, 4);
  for (unsigned i = 0; i < 40; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, rank == 1 ? 5 * kMs : 1 * kMs);
    job.collective(0);
  }
  EXPECT_TRUE(sole_roles_of(job.judge()).actors.empty());
}

}  // namespace
}  // namespace lockstep::analysis
