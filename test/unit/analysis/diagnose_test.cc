#include "analysis/diagnose.h"

#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kOperations = 20;

driver::RankRecords rank_of(TestRun* run, uint32_t comm, uint64_t id, int32_t rank, int32_t ranks) {
  driver::RankRecords records(comm, id, rank, ranks, static_cast<uint32_t>(10 + rank),
                              &run->strings);
  records.init(1'000 * kMs);
  return records;
}

driver::RankOperation open_at(unsigned i) {
  driver::RankOperation op = operation_at(i, 0);
  op.finish_ns = 0;
  return op;
}

TEST(Diagnose, FindsNothingWrongWithAHealthyRun) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i < kOperations; ++i)
      records.operation(operation_at(i, static_cast<uint64_t>(rank) * 10'000));
    records.finalize(15'000 * kMs);
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  EXPECT_TRUE(diagnose(*run.load()).findings.empty());
}

TEST(Diagnose, NamesTheRankThatNeverEntered) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i < kOperations; ++i) records.operation(operation_at(i, 0));
    if (rank != 3) records.operation(open_at(kOperations));
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  const Diagnosis diagnosis = diagnose(*run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  const Finding& finding = diagnosis.findings[0];
  EXPECT_EQ(finding.kind, "missing_rank");
  EXPECT_EQ(finding.culprits, std::vector<int32_t>{3});
  EXPECT_EQ(finding.ranks, (std::vector<int32_t>{0, 1, 2}));
  EXPECT_EQ(finding.ordinal, kOperations);
  EXPECT_GT(finding.confidence, 0.9);
}

TEST(Diagnose, WalksToTheOriginOnAnotherCommunicator) {
  // Rank 1 is missing in 0xc0 because it waits in 0xd0 for rank 2, its rank 1 there, which never
  // comes.
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords world = rank_of(&run, 1, 0xc0, rank, 2);
    driver::RankRecords pair(2, 0xd0, 0, 2, static_cast<uint32_t>(10 + rank), &run.strings);
    for (unsigned i = 0; i < kOperations; ++i) world.operation(operation_at(i, 0));
    if (rank == 0) world.operation(open_at(kOperations));
    if (rank == 1) {
      pair.init(1'100 * kMs);
      pair.operation(open_at(kOperations));
    }
    run.add(static_cast<uint32_t>(10 + rank), {&world.user, &world.proxy, &pair.user, &pair.proxy},
            "test");
  }
  driver::RankRecords origin(1, 0xd0, 1, 2, 12, &run.strings);
  origin.init(1'100 * kMs);
  run.add(12, origin);

  const Diagnosis diagnosis = diagnose(*run.load());
  ASSERT_EQ(diagnosis.findings.size(), 2u);
  EXPECT_EQ(diagnosis.findings[0].ranks, std::vector<int32_t>{0});
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{1});
  EXPECT_NE(diagnosis.findings[0].text.find("0xd0"), std::string::npos);
  EXPECT_NE(diagnosis.findings[1].text.find("consequence"), std::string::npos);
}

TEST(Diagnose, SeesRanksThatWaitForEachOtherInTwoCommunicators) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords one = rank_of(&run, 1, 0xc0, rank, 2),
                        two = rank_of(&run, 2, 0xd0, rank, 2);
    for (unsigned i = 0; i < kOperations; ++i) one.operation(operation_at(i, 0));
    (rank == 0 ? one : two).operation(open_at(kOperations));
    run.add(static_cast<uint32_t>(10 + rank), {&one.user, &one.proxy, &two.user, &two.proxy},
            "test");
  }

  const Diagnosis diagnosis = diagnose(*run.load());
  ASSERT_EQ(diagnosis.findings.size(), 2u);
  EXPECT_EQ(diagnosis.findings[0].kind, "deadlock");
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

  const Diagnosis diagnosis = diagnose(*run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, "mismatch");
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{1});
  EXPECT_EQ(diagnosis.findings[0].ordinal, 7u);
}

TEST(Diagnose, AccusesOneStragglerByHowMuchItIsLate) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i < kOperations; ++i) {
      records.operation(
          operation_at(i, rank == 2 && i % 2 == 1 ? 4 * kMs : static_cast<uint64_t>(rank) * 3'000));
    }
    records.finalize(15'000 * kMs);
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  const Diagnosis diagnosis = diagnose(*run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, "straggler");
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2});
  EXPECT_NE(
      diagnosis.findings[0].text.find("in 10 of 19 operations, typically by 4.0 ms (host_late)"),
      std::string::npos)
      << diagnosis.findings[0].text;
}

TEST(Diagnose, DoesNotAccuseALateRankThatWasHeldUpItself) {
  // Every lateness of rank 1 on 0xc0 is the end of an operation on 0xd0 that rank 0 of 0xd0 entered
  // late.
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords world = rank_of(&run, 1, 0xc0, rank, 3);
    for (unsigned i = 0; i < kOperations; ++i)
      world.operation(operation_at(i, rank == 1 ? 6 * kMs : 0));
    driver::RankRecords pair(2, 0xd0, rank == 1 ? 1 : 0, 2, static_cast<uint32_t>(10 + rank),
                             &run.strings);
    pair.init(1'100 * kMs);
    for (unsigned i = 0; rank == 1 && i < kOperations; ++i) {
      driver::RankOperation op = operation_at(i, 0);
      op.call_ns -= 2 * kMs;
      op.kernel_ns = op.call_ns + 10'000;
      op.finish_ns = op.call_ns + 7'900'000;
      pair.operation(op);
    }
    if (rank == 1)
      run.add(11, {&world.user, &world.proxy, &pair.user, &pair.proxy}, "test");
    else
      run.add(static_cast<uint32_t>(10 + rank), world);
  }
  // The other rank of the pair is a fourth process that comes late to it.
  driver::RankRecords other(1, 0xd0, 0, 2, 13, &run.strings);
  other.init(1'100 * kMs);
  for (unsigned i = 0; i < kOperations; ++i) {
    driver::RankOperation op = operation_at(i, 0);
    op.finish_ns = op.call_ns - 2 * kMs + 7'900'000;
    op.call_ns += 5 * kMs;
    op.kernel_ns = op.call_ns + 10'000;
    other.operation(op);
  }
  run.add(13, other);

  const Diagnosis diagnosis = diagnose(*run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, "straggler");
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{0}) << diagnosis.findings[0].text;
}

TEST(Diagnose, SaysWhatALateRankMadeOthersLateForOnAnotherCommunicator) {
  // Rank 0 of 0xd0 comes 8 ms late to it, so that its peer there comes late to the world.
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords world = rank_of(&run, 1, 0xc0, rank, 4);
    driver::RankRecords pair(2, 0xd0, rank == 1 ? 0 : 1, 2, static_cast<uint32_t>(10 + rank),
                             &run.strings);
    if (rank == 1 || rank == 2) pair.init(1'100 * kMs);
    for (unsigned i = 0; i < kOperations; ++i) {
      driver::RankOperation op = operation_at(i, 0);
      op.finish_ns = op.call_ns + 9 * kMs;
      op.call_ns += rank == 1 ? 8 * kMs : 0;
      op.kernel_ns = op.call_ns + 10'000;
      if (rank == 1 || rank == 2) pair.operation(op);
      op = operation_at(i, rank == 2 ? 9'100'000 : 3 * kMs);
      world.operation(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), {&world.user, &world.proxy, &pair.user, &pair.proxy},
            "test");
  }

  const auto loaded = run.load();
  const Diagnosis diagnosis = diagnose(*loaded);

  ASSERT_EQ(diagnosis.findings.size(), 1u);
  const Finding& finding = diagnosis.findings[0];
  EXPECT_EQ(finding.culprits, std::vector<int32_t>{0}) << finding.text;
  EXPECT_EQ(loaded->communicators[finding.communicator].comm_id, 0xd0u) << finding.text;
  EXPECT_NE(finding.text.find("others were late for 19 operations themselves (peer_late)"),
            std::string::npos)
      << finding.text;
  size_t peer_late = 0;
  for (const ArrivalRow& arrival : loaded->arrivals) peer_late += arrival.cause == Cause::PeerLate;
  EXPECT_EQ(peer_late, 19u);
}

TEST(Diagnose, AccusesAProcessOnceThatIsLateOnTwoCommunicators) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords one = rank_of(&run, 1, 0xc0, rank, 4),
                        two = rank_of(&run, 2, 0xd0, rank, 4);
    for (unsigned i = 0; i < kOperations; ++i) {
      one.operation(operation_at(i, rank == 2 ? 4 * kMs : 0));
      two.operation(operation_at(i, rank == 2 ? 5 * kMs : 0));
    }
    run.add(static_cast<uint32_t>(10 + rank), {&one.user, &one.proxy, &two.user, &two.proxy},
            "test");
  }

  const Diagnosis diagnosis = diagnose(*run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2});
  EXPECT_NE(diagnosis.findings[0].text.find("as late on 1 other communicator"), std::string::npos)
      << diagnosis.findings[0].text;
}

TEST(Diagnose, DoesNotAccuseTheFirstStageOfAPipeline) {
  // Each stage receives from the one before it, works 3 ms, and sends on: receivers wait by nature.
  TestRun run;
  constexpr int32_t kStages = 4;
  for (int32_t rank = 0; rank < kStages; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, kStages);
    for (unsigned i = 0; i < kOperations; ++i) {
      driver::RankOperation op = operation_at(i, 0);
      const uint64_t begin = op.call_ns + static_cast<uint64_t>(rank) * 4 * kMs;
      op.func = "Recv";
      op.peer = rank - 1;
      op.call_ns = begin - 3 * kMs;
      op.kernel_ns = op.call_ns + 10'000;
      op.finish_ns = begin;
      if (rank != 0) records.operation(op);
      op.func = "Send";
      op.peer = rank + 1;
      op.call_ns = begin + 3 * kMs;
      op.kernel_ns = op.call_ns + 10'000;
      op.finish_ns = begin + 4 * kMs;
      if (rank + 1 != kStages) records.operation(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  const Diagnosis diagnosis = diagnose(*run.load());
  EXPECT_TRUE(diagnosis.findings.empty()) << diagnosis.findings[0].text;
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

  const Diagnosis diagnosis = diagnose(*run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, "slow_link") << diagnosis.findings[0].text;
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

  const Diagnosis diagnosis = diagnose(*run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, "missing_rank");
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{1});
  EXPECT_EQ(diagnosis.findings[0].ordinal, kOperations);
  EXPECT_NE(diagnosis.findings[0].text.find("by the calls alone"), std::string::npos);
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

  const Diagnosis diagnosis = diagnose(*run.load());
  EXPECT_TRUE(diagnosis.findings.empty()) << diagnosis.findings[0].text;
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

  const Diagnosis diagnosis = diagnose(*run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{1});
  EXPECT_NEAR(diagnosis.findings[0].since_s, 3.0, 0.1);
}

}  // namespace
}  // namespace lockstep::analysis
