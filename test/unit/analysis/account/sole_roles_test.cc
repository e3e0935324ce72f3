// Who does most of what takes a run its time, and what no other rank does.
#include "analysis/account/sole_roles.h"

#include <gtest/gtest.h>

#include "analysis/say/not_known.h"
#include "test/unit/analysis/whatif/played_pipeline.h"

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

const NotKnown* slow_or_more_work(const Judged& judged) {
  const auto gap =
      std::find_if(judged.not_known.begin(), judged.not_known.end(),
                   [](const NotKnown& one) { return one.kind == NotKnownKind::SlowOrMoreWork; });
  return gap == judged.not_known.end() ? nullptr : &*gap;
}

TEST(SoleRoles, MayBeSlowOrDoMore) {
  for (const bool one_forward_one_backward : {false, true}) {
    const Judged judged = pipeline(
        one_forward_one_backward, [](int32_t stage, unsigned) { return stage == 2 ? 8 * kMs : 0; });
    EXPECT_TRUE(judged.findings.empty()) << all_text(judged);
    const NotKnown* gap = slow_or_more_work(judged);
    ASSERT_NE(gap, nullptr) << all_text(judged);
    EXPECT_EQ(gap->ranks, std::vector<int32_t>{2});
    EXPECT_GT(gap->share_percent, 50);
    EXPECT_EQ(sentence(*judged.run, *gap),
              "Whether rank 2 of world is slow or has more to do than others is not known: no "
              "other rank does the "
              "same. Its own work is " +
                  std::to_string(gap->share_percent) + " % of what the run took.");
  }
}

TEST(SoleRoles, AreNoStagesWhereAllDoAsMuch) {
  for (const bool one_forward_one_backward : {false, true}) {
    const Judged judged = pipeline(one_forward_one_backward, [](int32_t, unsigned) { return 0; });
    EXPECT_EQ(slow_or_more_work(judged), nullptr) << all_text(judged);
  }
}

}  // namespace
}  // namespace lockstep::analysis
