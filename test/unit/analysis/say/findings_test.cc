// What people read of a finding.
#include "analysis/say/findings.h"

#include "analysis/say/names.h"
#include "test/unit/analysis/say/said_run.h"

namespace lockstep::analysis {
namespace {

Finding missing_rank() {
  Finding finding;
  finding.kind = FindingKind::MissingRank;
  finding.communicator = 0;
  finding.culprits = {3};
  finding.since_s = 98;
  StallFacts facts;
  facts.operation = 0;
  facts.waiting = {0, 1};
  facts.named = {3};
  finding.facts = facts;
  return finding;
}
StallFacts& facts_of(Finding* finding) { return std::get<StallFacts>(finding->facts); }

Finding missing_on_tp() {
  Finding finding = missing_rank();
  finding.communicator = 1;
  finding.culprits = facts_of(&finding).named = {1};
  return finding;
}

TEST(Sentence, SaysWhoWaitsWhoIsMissingAndWhereThatRuns) {
  EXPECT_EQ(sentence(SaidRun(), missing_rank()),
            "Ranks 0 and 1 have been waiting in AllGather #9 on world for 98.0 s; rank 3 never "
            "called it. Rank 3 is pid 4703 on node8.");
}

TEST(Sentence, GivesTheWorldRankWhereTheCommunicatorHasAnother) {
  Finding finding = missing_on_tp();
  facts_of(&finding).waiting = {0};
  facts_of(&finding).operation = 1;
  EXPECT_EQ(
      sentence(SaidRun(), finding),
      "Rank 0 has been waiting in AllGather #9 on tp for 98.0 s; rank 1 never called it. Rank "
      "1 is world rank 3, pid 4703 on node8.");
}

TEST(Sentence, CountsWhatFollowsAndTheClausesSayWhat) {
  Finding finding = missing_rank();
  finding.consequences.push_back({1, {0}, {1}});
  EXPECT_EQ(sentence(SaidRun(), finding),
            "Ranks 0 and 1 have been waiting in AllGather #9 on world for 98.0 s; rank 3 never "
            "called it. 1 other operation stands still because of that. Rank 3 is pid 4703 on "
            "node8.");
  EXPECT_EQ(clause(SaidRun(), finding.consequences[0]),
            "rank 0 waits in AllGather #9 on tp for rank 1");
}

TEST(Sentence, OfASlowWaySaysHowToKnowMoreUnlessThatIsRecorded) {
  Finding finding = missing_rank();
  finding.kind = FindingKind::SlowLink;
  PathFacts facts;
  facts.replayed = true;
  facts.peer = 1;
  finding.facts = facts;
  const std::string suspected =
      "Its sends are suspected, by its GPU or its proxy thread, or the link";
  EXPECT_NE(sentence(SaidRun(), finding)
                .find(suspected + " (`lockstep ctl RUN events step` records what tells)."),
            std::string::npos);
  facts.steps = true;
  finding.facts = facts;
  EXPECT_NE(sentence(SaidRun(), finding).find(suspected + "."), std::string::npos);
}

TEST(Sentence, OfASlowProxyThreadSaysHowLongItTakesToComeRound) {
  Finding finding = missing_rank();
  finding.kind = FindingKind::SlowProxy;
  PathFacts facts;
  facts.round_ns = 90'000;
  facts.others_round_ns = 2'000;
  facts.side = SlowSide::ReceiverProxy;
  finding.facts = facts;
  const std::string rounds =
      "it takes 90.0 us to make visible to its GPU what has come, where others take 2.00 us.";
  EXPECT_EQ(sentence(SaidRun(), finding), "The proxy thread of rank 3 of world is slow: " + rounds +
                                              " Rank 3 is pid 4703 on node8.");
  facts.replayed = true;
  facts.factor = 4;
  facts.own_ns = 4'000'000;
  facts.others_ns = 1'000'000;
  finding.facts = facts;
  EXPECT_EQ(
      sentence(SaidRun(), finding),
      "What passes rank 3 of world takes 4.0 times as long as such transfers usually do (4.00 "
      "ms per operation against 1.00 ms). Its proxy thread is slow: " +
          rounds + " Without it the run would be 0 % (0 s) shorter. Rank 3 is pid 4703 on node8.");
}

TEST(Sentence, OfSendsThatAreSlowOnSeveralCommunicatorsCountsTheRanks) {
  Finding finding = missing_rank();
  finding.kind = FindingKind::SlowLink;
  finding.facts = PathFacts();
  finding.culprits_elsewhere = {2};
  EXPECT_NE(sentence(SaidRun(), finding)
                .find(" So does what 1 more rank of its host sends on another communicator."),
            std::string::npos);
}

TEST(Sentence, OfADeadlockNamesTheOperationsAndWhoLeftTheOrder) {
  Finding finding = missing_rank();
  finding.kind = FindingKind::Deadlock;
  facts_of(&finding).clue = StallClue::Circle;
  facts_of(&finding).circle = {0, 1};
  EXPECT_EQ(sentence(SaidRun(), finding),
            "Ranks have been waiting for each other for 98.0 s in AllGather #9 on world and "
            "AllGather #9 on tp: they call these operations in different orders. Rank 3 of world "
            "leaves the order usual in this run. Rank 3 is pid 4703 on node8.");
}

TEST(Sentence, NamesCulpritsWithoutARankOnTheCommunicatorByTheirWorldRank) {
  Finding finding = missing_on_tp();
  finding.culprits_elsewhere = {2};
  const std::string text = sentence(SaidRun(), finding);
  EXPECT_NE(text.find("Rank 1 is world rank 3, pid 4703 on node8; world rank 2 is pid 4702 on "
                      "node8."),
            std::string::npos)
      << text;
}

TEST(Sentence, OfAStragglerSaysHowOftenAndWhatItCost) {
  Finding finding;
  finding.kind = FindingKind::Straggler;
  finding.communicator = 0;
  finding.culprits = {2};
  LateFacts facts;
  facts.late = 250;
  facts.operations = 998;
  facts.typical_ns = 4'000'000;
  facts.caused_wait_ns = 3'000'000'000;
  facts.cause = Cause::HostLate;
  facts.gain_ns = 900'000'000;
  facts.gain_share = 0.184;
  finding.facts = facts;
  EXPECT_EQ(
      sentence(SaidRun(), finding),
      "Rank 2 of world arrived last, and clearly late, in 250 of 998 operations, typically by "
      "4.00 ms (host_late); the others waited 3.00 s for it in all. Without it the run would be "
      "18 % (900 ms) shorter. Rank 2 is pid 4702 on node8.");
  EXPECT_EQ(late_in_short(SaidRun(), finding),
            "rank 2 of world, in 250 of 998 operations, typically by 4.00 ms (host_late); the "
            "others waited 3.00 s for it. Rank 2 is pid 4702 on node8.");
}

TEST(Sentence, OfAStragglerSaysWhenItWasLate) {
  Finding finding;
  finding.kind = FindingKind::Straggler;
  finding.communicator = 0;
  finding.culprits = {2};
  LateFacts facts;
  facts.grouped = true;
  const auto said = [&](WhenLate when) {
    facts.pattern = {when, 2'000'000'000, 300'000'000, 0.15, 2.5};
    finding.facts = facts;
    return sentence(SaidRun(), finding);
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(said(WhenLate::AtStart),
                  "It was late only at the start of the run, in its first 300 ms."));
  EXPECT_TRUE(has(said(WhenLate::Periodic), "It was late every 2.00 s."));
  EXPECT_TRUE(has(said(WhenLate::InBursts), "It was late in bursts, in 15 % of the run's time."));
  EXPECT_TRUE(has(said(WhenLate::Growing),
                  "It was late more and more, at the end 2.5 times as much as at the start."));
  EXPECT_FALSE(has(said(WhenLate::Throughout), "It was late"));
  EXPECT_TRUE(has(said(WhenLate::Throughout), "in 0 of 0 group calls"));
}

TEST(Sentence, IsWholeForEveryClueAndNeverWritesAnUnknownRankAsANumber) {
  for (int clue = 0; clue <= static_cast<int>(StallClue::Circle); ++clue) {
    for (const auto& ranks :
         {std::vector<int32_t>{}, std::vector<int32_t>{-1}, std::vector<int32_t>{0, -1, 2}}) {
      Finding finding = missing_rank();
      StallFacts& facts = facts_of(&finding);
      facts.clue = static_cast<StallClue>(clue);
      facts.other = 1;
      facts.waiting = facts.named = finding.culprits = ranks;
      facts.circle = facts.before = {1};
      facts.by_calls = facts.too_soon = facts.one_of = true;
      const std::string text = sentence(SaidRun(), finding);
      EXPECT_EQ(text.find("-1"), std::string::npos) << text;
      EXPECT_EQ(text.find("  "), std::string::npos) << text;
      EXPECT_EQ(text.back(), '.') << text;
    }
  }
}

TEST(Sentence, NamesTheOperationsBeforeWhoseEndsNothingTells) {
  Finding finding = missing_rank();
  StallFacts& facts = facts_of(&finding);
  facts.clue = StallClue::EndsBeforeNotKnown;
  facts.named = {0, 1};
  facts.before = {1, 1, 1, 1, 1};
  EXPECT_NE(sentence(SaidRun(), finding)
                .find("The kernels of ranks 0 and 1 never began. Nothing tells whether " +
                      operation_on(SaidRun(), 1)),
            std::string::npos)
      << sentence(SaidRun(), finding);
  EXPECT_NE(
      sentence(SaidRun(), finding).find("and 1 more operation ended, which were called before"),
      std::string::npos);
}

TEST(OperationOn, NamesThePeerOfASend) {
  SaidRun run;
  run.operations[0].kind = OpKind::PointToPoint;
  run.operations[0].func = run.strings.intern("Recv");
  run.operations[0].peer = 2;
  EXPECT_EQ(operation_on(run, 0), "Recv #9 from rank 2 on world");
}

TEST(WhereTheyRun, GroupsRanksByHost) {
  EXPECT_EQ(where_they_run(SaidRun(), places_of(SaidRun(), 0, {0, 1})),
            "Ranks 0 and 1 are pids 4700 and 4701 on node7.");
  EXPECT_EQ(where_they_run(SaidRun(), places_of(SaidRun(), 0, {1, 2})),
            "Rank 1 is pid 4701 on node7; rank 2 is pid 4702 on node8.");
  EXPECT_EQ(where_they_run(SaidRun(), places_of(SaidRun(), 0, {17})), "");
}

TEST(WhereTheyRun, NamesTheGpuWhereItIsKnown) {
  SaidRun run;
  run.members[3].gpu = run.strings.intern("GPU-8a3c");
  EXPECT_EQ(where_they_run(run, places_of(run, 0, {3})), "Rank 3 is pid 4703 on node8, GPU-8a3c.");
}

TEST(RankList, CountsWhatItDoesNotShow) {
  std::vector<int32_t> ranks;
  for (int32_t rank = 0; rank < 40; ++rank) ranks.push_back(rank);
  EXPECT_EQ(rank_list(ranks),
            "ranks 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 and 24 more");
}

}  // namespace
}  // namespace lockstep::analysis
