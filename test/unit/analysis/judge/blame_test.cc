// Whom the diagnosis accuses of being late, and whom not.
#include "analysis/judge/blame.h"

#include <algorithm>

#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

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

  const Judged diagnosis(run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::Straggler);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2});
  EXPECT_NE(diagnosis.text().find("in 10 of 19 operations, typically by 4.00 ms (host_late)"),
            std::string::npos)
      << diagnosis.text();
}

TEST(Diagnose, DoesNotAccuseALateRankThatWasHeldUpItself) {
  // Every lateness of rank 1 on 0xc0 is the end of an operation on 0xd0 that rank 0 of 0xd0 entered
  // late, each second time.
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords world = rank_of(&run, 1, 0xc0, rank, 3);
    for (unsigned i = 0; i < kOperations; ++i)
      world.operation(operation_at(i, rank == 1 && i % 2 == 1 ? 6 * kMs : 0));
    driver::RankRecords pair(2, 0xd0, rank == 1 ? 1 : 0, 2, static_cast<uint32_t>(10 + rank),
                             &run.strings);
    pair.init(1'100 * kMs);
    for (unsigned i = 0; rank == 1 && i < kOperations; ++i) {
      driver::RankOperation op = operation_at(i, 0);
      op.call_ns -= 2 * kMs;
      op.kernel_ns = op.call_ns + 10'000;
      op.finish_ns = op.call_ns + (i % 2 == 1 ? 7'900'000u : 1'900'000u);
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
    op.finish_ns = op.call_ns - 2 * kMs + (i % 2 == 1 ? 7'900'000u : 1'900'000u);
    op.call_ns += i % 2 == 1 ? 5 * kMs : 0;
    op.call_ns -= 1 * kMs;
    op.kernel_ns = op.call_ns + 10'000;
    other.operation(op);
  }
  run.add(13, other);

  const Judged diagnosis(run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::Straggler);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{0}) << diagnosis.text();
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

  const Judged diagnosis(run.load());

  ASSERT_EQ(diagnosis.findings.size(), 1u);
  const Finding& finding = diagnosis.findings[0];
  EXPECT_EQ(finding.culprits, std::vector<int32_t>{0}) << diagnosis.text();
  EXPECT_EQ(diagnosis.run->communicators[finding.communicator].comm_id, 0xd0u) << diagnosis.text();
  EXPECT_NE(diagnosis.text().find("others were late for 19 operations themselves (peer_late)"),
            std::string::npos)
      << diagnosis.text();
  const auto peer_late = [&] {
    return std::count_if(
        diagnosis.run->arrivals.begin(), diagnosis.run->arrivals.end(),
        [](const ArrivalRow& arrival) { return arrival.cause == Cause::PeerLate; });
  };
  EXPECT_EQ(peer_late(), 0) << "judging has changed the tables";
  add_causes(diagnosis.run.get());
  EXPECT_EQ(peer_late(), 19);
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

  const Judged diagnosis(run.load());
  ASSERT_EQ(diagnosis.findings.size(), 1u);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2});
  EXPECT_NE(diagnosis.text().find("just as late on 1 other communicator"), std::string::npos)
      << diagnosis.text();
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

  const Judged diagnosis(run.load());
  EXPECT_TRUE(diagnosis.findings.empty()) << diagnosis.text();
}

// The calls of four ranks alone, of which rank 3 makes all of its 60 ms after the others.
TEST(Diagnose, NamesWhoNearlyAlwaysCameLastThoughNobodyWaitedForIt) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i < kOperations; ++i) {
      driver::RankOperation op;
      op.sequence = i;
      op.call_ns = 2'000 * kMs + i * kMs + (rank == 3 ? 60 * kMs : static_cast<uint64_t>(rank));
      records.call_only(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  const Judged judged(run.load());
  EXPECT_TRUE(judged.findings.empty()) << all_text(judged);
  const auto gap =
      std::find_if(judged.not_known.begin(), judged.not_known.end(),
                   [](const NotKnown& one) { return one.kind == NotKnownKind::WhoHoldsUp; });
  ASSERT_NE(gap, judged.not_known.end()) << all_text(judged);
  EXPECT_EQ(gap->ranks, Ranks{3});
  EXPECT_GE(gap->of, kOperations - 1u);
  EXPECT_FALSE(gap->ends_known);
}

}  // namespace
}  // namespace lockstep::analysis
