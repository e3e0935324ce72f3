// What another finding explains is none of its own.
#include "analysis/judge/explained.h"

#include <gtest/gtest.h>

namespace lockstep::analysis {
namespace {

Finding late(WhenLate when, double gain_share = 0.1) {
  Finding finding;
  finding.kind = FindingKind::Straggler;
  LateFacts facts;
  facts.pattern.when = when;
  facts.gain_share = gain_share;
  finding.facts = facts;
  return finding;
}
Finding hang() {
  Finding finding;
  finding.kind = FindingKind::MissingRank;
  finding.facts = StallFacts();
  return finding;
}
Finding slower() {
  Finding finding;
  finding.kind = FindingKind::SlowerThanExpected;
  finding.facts = SlowerFacts();
  return finding;
}
std::vector<FindingKind> left_of(std::vector<Finding> findings) {
  drop_explained(&findings);
  std::vector<FindingKind> kinds;
  for (const Finding& one : findings) kinds.push_back(one.kind);
  return kinds;
}
using Kinds = std::vector<FindingKind>;

TEST(Explained, APauseThatCameOnceBeforeAHangIsNoFinding) {
  EXPECT_EQ(left_of({hang(), late(WhenLate::Once)}), Kinds{FindingKind::MissingRank});
  EXPECT_EQ(left_of({hang(), late(WhenLate::Throughout)}),
            (Kinds{FindingKind::MissingRank, FindingKind::Straggler}));
  EXPECT_EQ(left_of({late(WhenLate::Once)}), Kinds{FindingKind::Straggler});
}

TEST(Explained, LatenessThatCostsLittleIsNoFindingBesideAHang) {
  const Finding little = late(WhenLate::Throughout, 0.04), more = late(WhenLate::Throughout, 0.06);
  EXPECT_EQ(left_of({hang(), little}), Kinds{FindingKind::MissingRank});
  EXPECT_EQ(left_of({hang(), more}), (Kinds{FindingKind::MissingRank, FindingKind::Straggler}));
  EXPECT_EQ(left_of({little}), Kinds{FindingKind::Straggler});
}

// The job hung as it started.
TEST(Explained, LatenessThatCostsNextToNothingOfTheTimeOfAHangIsNoFindingBesideIt) {
  Finding hung = hang(), late_by_a_tenth = late(WhenLate::Throughout);
  hung.since_s = 30;
  late_by_a_tenth.since_s = 0.05;
  EXPECT_EQ(left_of({hung, late_by_a_tenth}), Kinds{FindingKind::MissingRank});
  late_by_a_tenth.since_s = 0.1;
  EXPECT_EQ(left_of({hung, late_by_a_tenth}),
            (Kinds{FindingKind::MissingRank, FindingKind::Straggler}));
}

TEST(Explained, OperationsThatTakeLongerAreNoFindingBesideAHangButBesideLateness) {
  EXPECT_EQ(left_of({hang(), slower()}), Kinds{FindingKind::MissingRank});
  EXPECT_EQ(left_of({late(WhenLate::Throughout), slower()}),
            (Kinds{FindingKind::Straggler, FindingKind::SlowerThanExpected}));
}

TEST(Explained, OperationsThatStoodStillAreAFindingWhereNothingElseIs) {
  Finding still = slower();
  std::get<SlowerFacts>(still.facts).slower.still = true;
  EXPECT_EQ(left_of({late(WhenLate::Throughout), still}), Kinds{FindingKind::Straggler});
  EXPECT_EQ(left_of({still, slower()}), (Kinds(2, FindingKind::SlowerThanExpected)));
}

}  // namespace
}  // namespace lockstep::analysis
