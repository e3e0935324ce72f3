// How likely noise alone is to give a set of ranks its losses on the critical path.
#include "analysis/chance/path_chance.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

// Of four ranks that all do the same work, rank 0.
Compared one_of_four() {
  Compared compared;
  compared.set = {1, 0, 0, 0};
  compared.peers = {0, 1, 1, 1};
  compared.set_size = 1;
  compared.suspects = 4;
  return compared;
}

// A path of 40 pieces, each a trial; who loses at each place, -1 nobody.
double chance_of_losers(const std::vector<int>& losers) {
  std::vector<PathLoss> losses;
  std::vector<uint32_t> trials;
  for (size_t i = 0; i < losers.size(); ++i) {
    trials.push_back(static_cast<uint32_t>(i));
    if (losers[i] >= 0) losses.push_back({i, static_cast<uint32_t>(losers[i]), 1'000'000});
  }
  return chance_on_path(losses, trials, one_of_four());
}

TEST(PathChance, FallsWithEachLossOfTheSetAlone) {
  std::vector<int> few(40, -1), many(40, -1);
  for (const size_t i : {0u, 20u, 39u}) few[i] = 0;
  for (size_t i = 0; i < 40; i += 4) many[i] = 0;
  EXPECT_NEAR(chance_of_losers(few), 4.0 / 64, 0.01);
  EXPECT_LT(chance_of_losers(many), 1e-4);
}

TEST(PathChance, IsCertaintyWhereOthersLoseAsOften) {
  std::vector<int> losers(40, -1);
  for (size_t i = 0; i < 40; i += 2) losers[i] = static_cast<int>(i / 2 % 4);
  EXPECT_EQ(chance_of_losers(losers), 1);
}

TEST(PathChance, FallsWhereTheLossesGatherInOnePartOfTheRun) {
  std::vector<int> spread(40, -1), together(40, -1);
  for (const size_t i : {0u, 20u, 39u}) spread[i] = 0;
  for (const size_t i : {18u, 19u, 20u}) together[i] = 0;
  EXPECT_LT(chance_of_losers(together), chance_of_losers(spread) / 10);
}

TEST(PathChance, LeavesSmallLossesOutBesideLargeOnesOfTheSet) {
  // Small ones of everybody, spread over the run, and three large ones of the set, one after the other.
  std::vector<PathLoss> losses;
  std::vector<uint32_t> trials(40);
  for (uint32_t i = 0; i < 40; ++i) {
    trials[i] = i;
    if (i % 5 == 0) losses.push_back({i, i / 5 % 4, 1'000'000});
  }
  EXPECT_EQ(chance_on_path(losses, trials, one_of_four()), 1);
  for (const size_t i : {16u, 17u, 18u}) losses.push_back({i, 0, 9'000'000});
  EXPECT_LT(chance_on_path(losses, trials, one_of_four()), 0.01);
}

TEST(PathChance, CountsLossesOfOneTrialOnce) {
  const std::vector<PathLoss> losses{{0, 0, 1'000'000}, {1, 0, 1'000'000}, {2, 0, 1'000'000}};
  EXPECT_NEAR(chance_on_path(losses, {7, 7, 7}, one_of_four()), 1, 1e-9);
}

}  // namespace
}  // namespace lockstep::analysis
