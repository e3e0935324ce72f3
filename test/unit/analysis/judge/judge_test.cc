#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

TEST(Diagnose, FindsNothingWrongWithAHealthyRun) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i < kOperations; ++i)
      records.operation(operation_at(i, static_cast<uint64_t>(rank) * 10'000));
    records.finalize(15'000 * kMs);
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  EXPECT_TRUE(Judged(run.load()).findings.empty());
}

TEST(Diagnose, NamesTheRankThatNeverEntered) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i < kOperations; ++i) records.operation(operation_at(i, 0));
    if (rank != 3) records.operation(open_at(kOperations));
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  const Judged diagnosis(run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  const Finding& finding = diagnosis.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::MissingRank);
  EXPECT_EQ(finding.culprits, std::vector<int32_t>{3});
  EXPECT_EQ(finding.ranks, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(finding.ordinal, kOperations);
  EXPECT_GT(finding.confidence, 0.9);
  EXPECT_EQ(diagnosis.text(),
            "Ranks 0, 1 and 2 have been waiting in AllReduce #20 on world for 17.6 s; rank 3 never "
            "called it. Rank 3 is pid 13 on test.");
}

TEST(Diagnose, SeesDifferentSizesInOperationsThatEnded) {
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 3);
    for (unsigned i = 0; i < kOperations; ++i) {
      driver::RankOperation op = operation_at(i, 0);
      if (rank == 1 && i == 7) op.count /= 2;
      records.operation(op);
    }
    records.finalize(15'000 * kMs);
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  const Judged diagnosis(run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::Mismatch);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{1});
  EXPECT_EQ(diagnosis.findings[0].ordinal, 7u);
}

// Ranks 0 to 2 broadcast, rank 1 less than the others, and stand still in the all-reduce after it; with
// `went_on` that comes after another one, which ended.
Judged after_a_mismatch(bool went_on) {
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 3);
    for (unsigned i = 0; i < kOperations; ++i) records.operation(operation_at(i, 0));
    driver::RankOperation broadcast = operation_at(kOperations, 0);
    broadcast.func = "Broadcast";
    if (rank == 1) broadcast.count /= 2;
    records.call_only(broadcast);
    if (went_on) records.operation(operation_at(kOperations + 1, 0));
    records.operation(open_at(kOperations + 2));
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  return Judged(run.load());
}

TEST(Judge, ListsWhatStandsStillBehindAMismatchAsItsConsequence) {
  const Judged diagnosis = after_a_mismatch(false);
  ASSERT_EQ(diagnosis.findings.size(), 1u) << diagnosis.text();
  const Finding& mismatch = diagnosis.findings[0];
  EXPECT_EQ(mismatch.kind, FindingKind::Mismatch);
  EXPECT_EQ(mismatch.culprits, std::vector<int32_t>{1});
  ASSERT_EQ(mismatch.consequences.size(), 1u);
  EXPECT_EQ(mismatch.consequences[0].waiting, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_NE(diagnosis.text().find("1 other operation stands still because of that."),
            std::string::npos)
      << diagnosis.text();
}

TEST(Judge, TakesNothingForAConsequenceOfAMismatchThatTheRanksCameThrough) {
  const Judged diagnosis = after_a_mismatch(true);
  ASSERT_EQ(diagnosis.findings.size(), 2u) << diagnosis.text();
  EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::StuckInTransport);
  EXPECT_EQ(diagnosis.findings[1].kind, FindingKind::Mismatch);
}

// Two ranks, of which only the calls are recorded; rank 0 passes more in one of them.
Judged disagreeing_pair(unsigned calls, unsigned at) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 2);
    for (unsigned i = 0; i < calls; ++i) {
      driver::RankOperation op = operation_at(i, 0);
      op.count = i % 2 == 0 ? 8192 : 4096;
      if (rank == 0 && i == at) op.count += 64;
      records.call_only(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  return Judged(run.load());
}

TEST(Judge, NamesOfTwoRanksTheOneThatPassedWhatItNeverDid) {
  const Judged diagnosis = disagreeing_pair(30, 25);
  ASSERT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::Mismatch);
  EXPECT_EQ(diagnosis.findings[0].culprits, Ranks{0});
  EXPECT_EQ(diagnosis.findings[0].confidence, 0.85);
}

TEST(Judge, NamesBothOfTwoRanksWhereNothingTellsWhichIsRight) {
  const Judged diagnosis = disagreeing_pair(2, 1);
  ASSERT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].culprits, (Ranks{0, 1}));
  EXPECT_EQ(diagnosis.findings[0].confidence, 0.6);
  EXPECT_NE(diagnosis.text().find("Which of them is right is not known."), std::string::npos)
      << diagnosis.text();
}

// Rank 3 swaps calls 22 and 23. Ranks 1 and 2 make one call more after that than ranks 0 and 3 do.
TEST(Judge, NamesNobodyForCallsThatAreMissingSoonAfterAMismatch) {
  for (const unsigned calls_more : {30u, 1'200u}) {
    TestRun run;
    for (int32_t rank = 0; rank < 4; ++rank) {
      driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
      for (unsigned i = 0; i < 24 + calls_more + (rank == 1 || rank == 2 ? 1 : 0); ++i) {
        driver::RankOperation op = operation_at(i, 0);
        const bool swapped = rank == 3 && (i == 22 || i == 23);
        op.count = (i % 2 == 0) != swapped ? 8192 : 4096;
        records.call_only(op);
      }
      run.add(static_cast<uint32_t>(10 + rank), records);
    }
    auto tables = run.load();
    for (ProcessRow& process : tables->processes) process.heard_ns = process.last_ns + 60'000 * kMs;
    const Judged diagnosis(std::move(tables));
    ASSERT_EQ(diagnosis.findings.size(), calls_more < 1'024 ? 1u : 2u) << all_text(diagnosis);
    const Finding& mismatch = diagnosis.findings[calls_more < 1'024 ? 0 : 1];
    EXPECT_EQ(mismatch.kind, FindingKind::Mismatch);
    EXPECT_EQ(mismatch.culprits, Ranks{3});
    EXPECT_EQ(mismatch.consequences.size(), calls_more < 1'024 ? 1u : 0u);
  }
}

// Four ranks reduce gradients in a few sizes. At call 22, rank 2 makes a small one more, or leaves one
// out where `left_out`; only the calls are recorded, and it waits in one that the others never make, or
// the other way round.
Judged shifted_by_one(bool left_out) {
  const std::vector<uint64_t> sizes = {8192, 8192, 8192, 4096, 4};
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    const unsigned calls = left_out && rank != 2 ? 31 : 30;
    for (unsigned i = 0; i < calls + (rank == 2 && !left_out ? 1 : 0); ++i) {
      driver::RankOperation op = operation_at(i, 0);
      const bool behind = rank == 2 && i >= 22;
      op.count = sizes[(behind ? i + (left_out ? 1 : 4) : i) % sizes.size()];
      if (rank == 2 && i == 22 && !left_out) op.count = 1;
      records.call_only(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  return Judged(run.load());
}

TEST(Judge, NamesTheRankThatMadeOneCallMoreAndNobodyForWhatFollows) {
  const Judged diagnosis = shifted_by_one(false);
  ASSERT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
  const Finding& mismatch = diagnosis.findings[0];
  EXPECT_EQ(mismatch.kind, FindingKind::Mismatch);
  EXPECT_EQ(mismatch.culprits, std::vector<int32_t>{2});
  EXPECT_EQ(mismatch.ordinal, 22u);
  ASSERT_EQ(mismatch.consequences.size(), 1u);
  EXPECT_EQ(mismatch.consequences[0].waiting, std::vector<int32_t>{2});
  EXPECT_EQ(mismatch.consequences[0].held, (std::vector<int32_t>{0, 1, 3}));
  EXPECT_NE(diagnosis.text().find("From there on the calls of rank 2 come one place later than the "
                                  "others': it made one call more."),
            std::string::npos)
      << diagnosis.text();
}

TEST(Judge, SaysThatARankLeftACallOut) {
  const Judged diagnosis = shifted_by_one(true);
  ASSERT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::Mismatch);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2});
  EXPECT_NE(diagnosis.text().find("it left one out."), std::string::npos) << diagnosis.text();
}

TEST(Diagnose, FindsTheSlowLinkAmongReceivesThatSendNothing) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i < kOperations; ++i) {
      driver::RankOperation op = operation_at(i, 0);
      op.steps = 2;
      op.channels = 1;
      op.network_ns = rank == 2 ? 300'000 : 10'000;
      for (const char* func : {"Send", "Recv", "Recv", "Recv"}) {
        op.func = func;
        op.peer = (rank + (op.func == "Send" ? 1 : 3)) % 4;
        op.finish_ns = op.call_ns + 2 * kMs;
        records.operation(op);
        op.call_ns += 3 * kMs;
        op.kernel_ns += 3 * kMs;
      }
    }
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  const Judged diagnosis(run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::SlowLink) << diagnosis.text();
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2});
}

TEST(Diagnose, NamesTheMissingRankFromCallsAlone) {
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 3);
    for (unsigned i = 0; i < kOperations + (rank == 1 ? 0 : 1); ++i)
      records.call_only(operation_at(i, 0));
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  const Judged diagnosis(run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::MissingRank);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{1});
  EXPECT_EQ(diagnosis.findings[0].ordinal, kOperations);
  EXPECT_NE(diagnosis.text().find("Only the calls were recorded"), std::string::npos);
}

TEST(Diagnose, SaysThatSlowGpusCannotBeSeenWhereOnlyCallsWereRecorded) {
  for (const bool kernels : {false, true}) {
    TestRun run;
    for (int32_t rank = 0; rank < 3; ++rank) {
      driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 3);
      for (unsigned i = 0; i < kOperations; ++i) {
        if (kernels)
          records.operation(operation_at(i, 0));
        else
          records.call_only(operation_at(i, 0));
      }
      run.add(static_cast<uint32_t>(10 + rank), records);
    }
    const Judged diagnosis(run.load());
    const auto slow_gpus =
        std::count_if(diagnosis.not_known.begin(), diagnosis.not_known.end(),
                      [](const NotKnown& gap) { return gap.kind == NotKnownKind::SlowGpus; });
    EXPECT_EQ(slow_gpus, kernels ? 0 : 1);
  }
}

TEST(Diagnose, AccusesNobodyWhenRanksMerelyCallAheadOfEachOther) {
  TestRun run;
  run.end_ns = 2'000 * kMs + kOperations * 20 * kMs + 10 * kMs;  // cut while they go on
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 3);
    for (unsigned i = 0; i + static_cast<unsigned>(rank) < kOperations; ++i)
      records.call_only(operation_at(i, 0));
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  const Judged diagnosis(run.load());
  EXPECT_TRUE(diagnosis.findings.empty()) << diagnosis.text();
}

TEST(Diagnose, TellsHowLongAStallLastsOnEachClockByItself) {
  // Two hosts hours apart and not aligned: the stall lasts what each of them saw, not the hours.
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    const uint64_t apart_ns = rank == 0 ? 0 : 40'000 * kMs;
    driver::RankRecords records(1, 0xc0, rank, 2, static_cast<uint32_t>(10 + rank), &run.strings);
    records.init(1'000 * kMs + apart_ns);
    for (unsigned i = 0; i < kOperations + (rank == 1 ? 0 : 1); ++i) {
      driver::RankOperation op = i == kOperations ? open_at(i) : operation_at(i, 0);
      op.call_ns += apart_ns;
      op.kernel_ns += apart_ns;
      op.finish_ns += op.finish_ns == 0 ? 0 : apart_ns;
      records.operation(op);
    }
    run.end_ns = apart_ns + 5'400 * kMs;
    run.add(static_cast<uint32_t>(10 + rank), {&records.user, &records.proxy},
            rank == 0 ? "near" : "far");
  }

  const Judged diagnosis(run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{1});
  EXPECT_NEAR(diagnosis.findings[0].since_s, 3.0, 0.1);
}

TEST(Judge, ListsEachGapOnce) {
  const Judged judged = judged_without_rank_2();
  size_t gaps = 0;
  for (const NotKnown& gap : judged.not_known) {
    if (gap.kind != NotKnownKind::RanksNotRecorded) continue;
    ++gaps;
    EXPECT_EQ(gap.ranks, std::vector<int32_t>{2});
  }
  EXPECT_EQ(gaps, 1u) << all_text(judged);
  EXPECT_NE(judged.text().find("nothing is known of rank 2"), std::string::npos) << judged.text();
}

TEST(Judge, TellsTwoCommunicatorsOfOneNameApart) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords one = rank_of(&run, 1, 0xc0, rank, 2),
                        two = rank_of(&run, 2, 0xd0, rank, 2);
    for (unsigned i = 0; i < kOperations; ++i) one.operation(operation_at(i, 0));
    if (rank == 0) two.operation(open_at(kOperations));
    run.add(static_cast<uint32_t>(10 + rank), {&one.user, &one.proxy, &two.user, &two.proxy},
            "test");
  }

  const Judged judged(run.load());
  EXPECT_NE(judged.text().find(" on world (0xd0) for "), std::string::npos) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
