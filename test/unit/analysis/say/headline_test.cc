// The sentence above everything else: what hangs comes first, then what costs most; "nothing stands out" is said only
// where nothing is unknown.
#include "analysis/say/headline.h"

#include <gtest/gtest.h>

#include "analysis/say/headline_text.h"
#include "test/unit/analysis/judge/judged.h"
#include "test/unit/analysis/say/said_run.h"

namespace lockstep::analysis {
namespace {

Finding costing(double share) {
  LateFacts facts;
  facts.gain_share = share;
  Finding finding;
  finding.kind = FindingKind::Straggler;
  finding.facts = facts;
  finding.culprits = {1};
  return finding;
}

Finding standing() {
  Finding finding;
  StallFacts facts;
  facts.operation = 0;
  facts.waiting = {0};
  facts.named = {1};
  finding.facts = facts;
  return finding;
}

std::string text_of(const Finding& finding, const RunTables& run = SaidRun()) {
  Judgement judgement;
  judgement.findings = {finding};
  return headline(run, judgement).text;
}

struct OneOperation : RunTables {
  OneOperation() {
    processes.emplace_back();
    communicators.emplace_back();
    operations.emplace_back().communicator = 0;
  }
};

TEST(Headline, SaysNothingStandsOutOnlyWhereNothingIsUnknown) {
  OneOperation run;
  Judgement judgement;
  EXPECT_EQ(headline(run, judgement).kind, HeadlineKind::Nothing);
  judgement.not_known.emplace_back().note = "something";
  EXPECT_EQ(headline(run, judgement).kind, HeadlineKind::Unknown);
  EXPECT_EQ(headline(run, judgement).text, "Nothing was found, but 1 thing is not known.");
}

TEST(Headline, TakesDamageForAGap) {
  OneOperation run;
  run.damage.push_back("a chunk cannot be read");
  EXPECT_EQ(headline(run, Judgement()).kind, HeadlineKind::Unknown);
  EXPECT_EQ(headline(run, Judgement()).text,
            "Nothing was found, but part of the recording is damaged.");
}

TEST(Headline, CallsARunWithoutOperationsNothingElse) {
  EXPECT_EQ(headline(RunTables(), Judgement()).kind, HeadlineKind::Unknown);
}

TEST(Headline, IsOfTheCostliestFinding) {
  Judgement judgement;
  judgement.findings = {costing(0.1), costing(0.3), costing(0.2)};
  const Headline line = headline(OneOperation(), judgement);
  EXPECT_EQ(line.kind, HeadlineKind::Costs);
  EXPECT_EQ(line.finding, 1u);
  EXPECT_EQ(line.cost_share, 0.3);
  EXPECT_NE(line.text.find("without that the run would be 30 % shorter."), std::string::npos)
      << line.text;
}

TEST(Headline, PutsWhatStandsStillBeforeWhatCosts) {
  Judgement judgement;
  judgement.findings = {costing(0.9), standing(), standing()};
  const Headline line = headline(OneOperation(), judgement);
  EXPECT_EQ(line.kind, HeadlineKind::Hangs);
  EXPECT_EQ(line.finding, 1u);
  EXPECT_LT(line.cost_share, 0);
}

TEST(Headline, NamesTheHostOfTheLateRank) {
  const Judged judged = diagnose_hosts(8, 2, 60, [](int32_t rank, unsigned i) {
    return operation_at(i, rank == 5 && i % 2 == 1 ? 4 * kMs : 0);
  });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  const Headline line = headline(*judged.run, judge(*judged.run));
  EXPECT_EQ(line.text.rfind("Rank 5 on c holds up the others", 0), 0u) << line.text;
}

TEST(Headline, OfAHangSaysWhichProcessOfWhichHostToLookAt) {
  Finding finding;
  finding.kind = FindingKind::MissingRank;
  finding.communicator = 1;
  finding.culprits = {1};
  finding.since_s = 98;
  StallFacts facts;
  facts.operation = 1;
  facts.waiting = {0};
  facts.named = {1};
  finding.facts = facts;
  EXPECT_EQ(
      text_of(finding),
      "Rank 3 on node8 (pid 4703) never called AllGather #9 on tp; 1 rank has been waiting for "
      "98.0 s.");
}

TEST(Headline, CountsWhoWaitsBecauseOfIt) {
  Finding finding = standing();
  finding.communicator = 0;
  finding.culprits = {1};
  finding.since_s = 98;
  finding.consequences = {{1, {0, 1}, {}}};
  EXPECT_EQ(
      text_of(finding),
      "Rank 1 on node7 (pid 4701) never called AllGather #9 on world; 3 ranks have been waiting "
      "for 98.0 s.");
}

TEST(Headline, OfADeadlockNamesWhatIsCalledInDifferentOrders) {
  Finding finding = standing();
  StallFacts facts;
  facts.clue = StallClue::Circle;
  facts.operation = 0;
  facts.waiting = {0};
  facts.circle = {0, 1, 0};
  facts.one_of = true;
  finding.communicator = 0;
  finding.culprits = {0, 1};
  finding.since_s = 9;
  finding.facts = facts;
  EXPECT_EQ(text_of(finding),
            "Deadlock: ranks call AllGather on tp and AllGather on world in different orders; they "
            "have been waiting for each other for 9.00 s.");
  facts.one_of = false;
  finding.culprits = {1};
  finding.facts = facts;
  EXPECT_EQ(text_of(finding),
            "Deadlock: rank 1 on node7 (pid 4701) leaves the usual order of AllGather on tp and "
            "AllGather on world; ranks have been waiting for each other for 9.00 s.");
}

TEST(Headline, OfADeadlockCountsOnceWhoStandsInItAndWhoWaitsBecauseOfIt) {
  Finding finding = standing();
  StallFacts facts;
  facts.clue = StallClue::Circle;
  facts.operation = 0;
  facts.circle = {0, 1};
  facts.inside_circle = {2, 3, 2};
  finding.communicator = 0;
  finding.culprits = {2};
  finding.since_s = 9;
  finding.consequences = {{0, {1, 2}, {}}};
  finding.facts = facts;
  const SaidRun run;
  EXPECT_EQ(waiting_ranks(run, finding), 3u);
  EXPECT_EQ(text_of(finding),
            "Deadlock: rank 2 on node8 (pid 4702) leaves the usual order of AllGather on tp and "
            "AllGather on world; 3 ranks have been waiting for 9.00 s.");
}

TEST(Headline, OfASendOrReceiveSaysWhatIsMissing) {
  SaidRun run;
  run.operations[0].kind = OpKind::PointToPoint;
  run.operations[0].func = run.strings.intern("Recv");
  Finding finding = standing();
  finding.communicator = 0;
  finding.culprits = {1};
  finding.since_s = 6;
  EXPECT_EQ(
      text_of(finding, run),
      "Rank 1 on node7 (pid 4701) never sent what rank 0 waits for in Recv #9 on world; 1 rank "
      "has been waiting for 6.00 s.");
}

Finding slow(FindingKind kind, const PathFacts& facts) {
  Finding finding;
  finding.kind = kind;
  finding.communicator = 1;
  finding.culprits = {1};
  finding.facts = facts;
  return finding;
}

TEST(Headline, OfASlowLinkNamesBothEnds) {
  PathFacts facts;
  facts.replayed = true;
  facts.side = SlowSide::Link;
  facts.factor = 7.4;
  facts.peer = 0;
  facts.gain_share = 0.79;
  EXPECT_EQ(
      text_of(slow(FindingKind::SlowLink, facts)),
      "Transfers from rank 3 on node8 to rank 2 take 7.4 times as long as usual: without that "
      "the run would be 79 % shorter. The link is slow.");
}

TEST(Headline, OfASlowProxyThreadNamesItsRank) {
  PathFacts facts;
  facts.replayed = true;
  facts.side = SlowSide::ReceiverProxy;
  facts.factor = 4;
  facts.round_ns = 90'000;
  facts.gain_share = 0.13;
  EXPECT_EQ(text_of(slow(FindingKind::SlowProxy, facts)),
            "Transfers of rank 3 on node8 take 4.0 times as long as usual: without that the run "
            "would be 13 % shorter. Its proxy thread is slow.");
}

TEST(Headline, OfWhatTwoEndsExchangeNamesBoth) {
  PathFacts facts;
  facts.replayed = facts.both_ends = true;
  facts.factor = 5.7;
  facts.gain_share = 0.11;
  Finding finding;
  finding.kind = FindingKind::SlowLink;
  finding.communicator = 0;
  finding.culprits = {0, 1};
  finding.facts = facts;
  EXPECT_EQ(text_of(finding),
            "Transfers among ranks 0 and 1 on node7 take 5.7 times as long as usual: without that "
            "the run would be 11 % shorter.");
}

// A caveat must not be lost.
TEST(Headline, SaysAtLengthWhatHasNoShortForm) {
  Finding finding = standing();
  finding.communicator = 0;
  finding.culprits = {1};
  auto facts = std::get<StallFacts>(finding.facts);
  facts.too_soon = true;
  finding.facts = facts;
  EXPECT_NE(text_of(finding).find("may just have been on the way"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::analysis
