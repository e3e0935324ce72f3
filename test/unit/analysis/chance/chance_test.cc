// How likely noise alone is to give somebody the occasions that a set of ranks has.
#include "analysis/chance/chance.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

constexpr double kOfFourRanks = 0.25;

TEST(Chance, IsThatOfAllOccasionsFallingOnOneOfThoseThatCouldHaveThem) {
  const std::vector<TrialLoss> three(3, {40, 0});
  EXPECT_NEAR(chance_of(three, kOfFourRanks), 4.0 / 64, 1e-9);
}

TEST(Chance, IsCertaintyWhereOthersHaveTheirShare) {
  std::vector<TrialLoss> trials(5, {40, 0});
  trials.resize(20, {0, 40});
  EXPECT_GT(chance_of(trials, kOfFourRanks), 0.5);
}

TEST(Chance, DoesNotTakeBeingPresentInEveryTrialForASign) {
  // Noise holds up each of 30 steps more than once, also by the rank in question, which loses most in 8.
  std::vector<TrialLoss> trials(8, {50, 40});
  trials.resize(30, {40, 50});
  EXPECT_GT(chance_of(trials, kOfFourRanks), 0.5);
}

TEST(Chance, IsSmallWhereOneRankLosesMostInEveryTrial) {
  const std::vector<TrialLoss> trials(30, {90, 40});
  EXPECT_LT(chance_of(trials, kOfFourRanks), 1e-3);
}

}  // namespace
}  // namespace lockstep::analysis
