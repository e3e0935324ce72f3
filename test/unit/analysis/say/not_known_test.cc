// What people read of what a recording cannot tell.
#include "analysis/say/not_known.h"

#include <set>
#include <utility>

#include "base/text.h"
#include "test/unit/analysis/say/said_run.h"

namespace lockstep::analysis {
namespace {

NotKnown gap_of(NotKnownKind kind) {
  NotKnown gap;
  gap.kind = kind;
  gap.count = 1;
  gap.of = 4;
  gap.communicator = 0;
  gap.operation = 0;
  gap.note = "node7.4700.0.lks: a chunk at byte 100 is damaged.";
  return gap;
}

TEST(NotKnown, IsSaidInASentenceOfItsOwnForEveryKind) {
  std::set<std::string> said;
  for (int kind = 0; kind <= static_cast<int>(NotKnownKind::Note); ++kind) {
    const std::string text = sentence(SaidRun(), gap_of(static_cast<NotKnownKind>(kind)));
    EXPECT_TRUE(said.insert(text).second) << text;
    EXPECT_EQ(text.find("-1"), std::string::npos) << text;
    EXPECT_EQ(text.back(), '.') << text;
  }
}

TEST(NotKnown, SaysWhatToRecordWhereThereIsNoOperation) {
  NotKnown gap = gap_of(NotKnownKind::Operations);
  gap.count = 0;
  const std::string what = "What the ranks did is not known: no operation was recorded";
  const std::string advice = ". LOCKSTEP_EVENTS=proxy, the default, records those";
  EXPECT_EQ(sentence(SaidRun(), gap).find(what + advice), 0u) << sentence(SaidRun(), gap);
  gap.count = 3;
  const std::string off = " the kinds of events that tell of operations were switched off";
  EXPECT_EQ(sentence(SaidRun(), gap).find(what + ", and in 3 of 4 processes" + off + advice), 0u)
      << sentence(SaidRun(), gap);
  gap.count = 4;
  EXPECT_EQ(sentence(SaidRun(), gap).find(what + ", because" + off + advice), 0u)
      << sentence(SaidRun(), gap);
}

TEST(NotKnown, NamesTheRanksThatWereNotRecorded) {
  NotKnown gap = gap_of(NotKnownKind::RanksNotRecorded);
  EXPECT_EQ(
      sentence(SaidRun(), gap),
      "Nothing is known of 1 of the 4 ranks of world: it was not recorded. It may be missing, "
      "or may only run without the plugin.");
  gap.ranks = {3};
  EXPECT_EQ(sentence(SaidRun(), gap),
            "Nothing is known of rank 3 of world: it was not recorded. It may be missing, or may "
            "only run without the plugin.");
}

TEST(NotKnown, GivesNoShareOfTheTimeWhereOperationsOverlap) {
  NotKnown gap = gap_of(NotKnownKind::WhoHoldsUp);
  gap.count = 200;
  gap.typical_ns = 12'700'000;
  gap.share_percent = 58;
  const std::string share =
      "arrive 12.7 ms apart (median of 200 operations, 58 % of its time in all)";
  EXPECT_NE(sentence(SaidRun(), gap).find(share), std::string::npos) << sentence(SaidRun(), gap);
  gap.share_percent = 580;
  EXPECT_EQ(sentence(SaidRun(), gap).find('%'), std::string::npos) << sentence(SaidRun(), gap);
}

TEST(NotKnown, NamesWhoNearlyAlwaysCameLast) {
  NotKnown gap = gap_of(NotKnownKind::WhoHoldsUp);
  gap.count = 190;
  gap.typical_ns = 246'000'000;
  gap.ranks = {3};
  gap.of = 186;
  EXPECT_EQ(sentence(SaidRun(), gap),
            "Nobody stands out as late on world, yet its ranks arrive 246 ms apart (median of 190 "
            "operations, 0 % of its time in all). Rank 3 came last in 186 of these, but the others "
            "lost little by it, as far as is recorded.");
  gap.ends_known = false;
  EXPECT_NE(sentence(SaidRun(), gap)
                .find("came last in 186 of these; what the others lost by it is "
                      "not known, as calls that run ahead do not show who waits."),
            std::string::npos)
      << sentence(SaidRun(), gap);
}

TEST(NotKnown, SaysWhatALateRankCostsAtMostWhereCallsRunAhead) {
  NotKnown gap = gap_of(NotKnownKind::CostAtMost);
  gap.count = 12;
  gap.ranks = {3};
  gap.share_percent = 3;
  EXPECT_EQ(
      sentence(SaidRun(), gap),
      "Whether rank 3 of world cost the run anything by being late for 12 operations is not "
      "known: it is at most 3 %, as calls run ahead of the GPUs and kernels were not recorded.");
}

TEST(NotKnown, SaysThatStepsSwitchedOnLateShowLaterOperationsOnly) {
  const std::string text = sentence(SaidRun(), gap_of(NotKnownKind::WhichLink));
  EXPECT_NE(text.find("switched on while a job runs, those of operations called afterwards"),
            std::string::npos)
      << text;
}

TEST(NotKnown, NamesTheRanksThatRecordedWithOtherSettings) {
  NotKnown gap = gap_of(NotKnownKind::Settings);
  gap.setting = {"events", {{"proxy", {0, 3, 1}}, {"step", {2}}}};
  SaidRun run;
  EXPECT_EQ(sentence(run, gap),
            "Not all processes recorded with the same settings: events=proxy in node7 pid 4700, "
            "node8 pid 4703 and node7 pid 4701; events=step in node8 pid 4702. What is missing in "
            "some of them may only not have been recorded there.");
  for (int32_t rank = 0; rank < 4; ++rank) run.processes[static_cast<size_t>(rank)].rank = rank;
  EXPECT_NE(sentence(run, gap).find("events=proxy in ranks 0, 1 and 3; events=step in rank 2."),
            std::string::npos)
      << sentence(run, gap);
}

TEST(NotKnown, SaysWhomChanceMayHaveMadeLate) {
  NotKnown gap = gap_of(NotKnownKind::ByChance);
  gap.communicator = 0;
  gap.ranks = {3};
  gap.typical_ns = 417'000'000;
  gap.share_percent = 26;
  const std::pair<uint64_t, const char*> kSaid[] = {
      {1,
       "it happened once, by 417 ms. Without that the run would be 26 % shorter. A longer "
       "recording tells."},
      {100,
       "it happened 100 times, by 417 ms at most. Without that the run would be 26 % shorter."}};
  for (const auto& [count, end] : kSaid) {
    gap.count = count;
    const std::string text = sentence(SaidRun(), gap);
    EXPECT_TRUE(has_ending(text, end)) << text;
  }
}

TEST(TableNotes, SayThatHostsAreNotOnOneClock) {
  SaidRun run;
  EXPECT_EQ(table_notes(run).size(), 1u);
  run.aligned = true;
  EXPECT_TRUE(table_notes(run).empty());
}

TEST(NotKnown, GivesTheRateOfTheOnlyWayBetweenHosts) {
  SaidRun run;
  run.operations[0].size_bytes = 32 << 20;
  NotKnown gap = gap_of(NotKnownKind::OnlyWay);
  gap.share_percent = 12;
  const std::string begin =
      "Whether the network between node7 and node8 is slow all the time is not known: there are "
      "no other hosts to compare with. Most of its time goes to AllGather of 32 MiB on world";
  const std::string end = ". If the network were twice as fast, the run would be 12 % shorter.";
  EXPECT_EQ(sentence(run, gap), begin + end);
  gap.busbw_gbs = 1.234;
  EXPECT_EQ(sentence(run, gap), begin +
                                    ", each at a bus bandwidth of 1.23 GB/s (median). Compare that "
                                    "with what the adapters can do; operations that run at the "
                                    "same time share them" +
                                    end);
}

}  // namespace
}  // namespace lockstep::analysis
