// Which ranks may have one cause in common.
#include "analysis/whatif/rank_sets.h"

#include <gtest/gtest.h>

#include "test/unit/analysis/whatif/played_job.h"
#include "test/unit/durations.h"

namespace lockstep::analysis {
namespace {

using Sets = std::vector<std::vector<uint32_t>>;

// Eight ranks on hosts of `per_host`, with communicators of these ranks beside the world. connected: the hosts' clocks are.
Sets sets_of(int32_t per_host, const std::vector<std::vector<int32_t>>& groups,
             bool connected = true) {
  PlayedJob job(8, per_host);
  for (const std::vector<int32_t>& group : groups) job.communicator(group);
  for (unsigned i = 0; i < 3; ++i) {
    for (int32_t rank = 0; rank < 8; ++rank) job.work(rank, kMs);
    for (unsigned number = 0; number <= groups.size(); ++number) job.collective(number);
  }
  const Judged judged = job.judge();
  if (!connected) {
    for (MatchRow& match : judged.run->matches) match.comparable = 0;
  }
  const OwnSegments own = find_own_segments(*judged.run);
  Sets sets;
  for (const RankSet& set :
       sets_of_ranks(*judged.run, own, std::vector<uint8_t>(own.actors.size(), 1)))
    sets.push_back(set.actors);
  return sets;
}

TEST(RankSets, AreHostsAndThenCommunicators) {
  EXPECT_EQ(sets_of(4, {{0, 4}}), (Sets{{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 4}}));
}

TEST(RankSets, AreThereOnceHoweverManyCommunicatorsHaveThem) {
  EXPECT_EQ(sets_of(4, {{0, 1, 2, 3}, {4, 5}, {4, 5}}), (Sets{{0, 1, 2, 3}, {4, 5, 6, 7}, {4, 5}}));
}

TEST(RankSets, LeaveHalfOfAllRanksToBeMeasuredBy) {
  EXPECT_EQ(sets_of(8, {{0, 1, 2, 3, 4}}), Sets{});
}

TEST(RankSets, AreNoneOfRanksThatWaitForOthersWhoseClocksNothingConnects) {
  EXPECT_EQ(sets_of(4, {{0, 4}}, false), Sets{});
}

}  // namespace
}  // namespace lockstep::analysis
