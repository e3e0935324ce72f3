// Jobs of which only calls were recorded, and in which nobody calls anything any more.
#include "analysis/judge/standstill.h"

#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

// Two ranks whose calls come together and stop together; the last sign of life is `quiet_ms` later.
std::unique_ptr<RunTables> calls_of_two(int64_t quiet_ms, unsigned calls = 40) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 2);
    for (unsigned i = 0; i < calls; ++i) {
      driver::RankOperation op = open_at(i);
      op.channels = 0;
      op.sequence = i;
      records.operation(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), {&records.user}, "test");
  }
  auto tables = run.load();
  int64_t last_ns = kNoTime;
  for (const OperationRow& row : tables->operations) last_ns = std::max(last_ns, row.called_ns());
  for (ProcessRow& process : tables->processes) {
    process.life = Life::Dead;
    process.heard_ns = last_ns + quiet_ms * 1'000'000;
  }
  return tables;
}

TEST(Standstill, IsSaidWhereNobodyCallsAnythingAnyMore) {
  const Judged judged(calls_of_two(10'000));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::Standstill);
  EXPECT_TRUE(judged.findings[0].culprits.empty());
  EXPECT_NE(judged.text().find("no rank has called NCCL for 10.0 s"), std::string::npos)
      << judged.text();
  EXPECT_NE(judged.text().find("LOCKSTEP_EVENTS=kernel or proxy"), std::string::npos)
      << judged.text();
}

TEST(Standstill, IsNotAPauseAsOthersWere) {
  EXPECT_TRUE(Judged(calls_of_two(4'000)).findings.empty());
  auto tables = calls_of_two(10'000);
  for (OperationRow& row : tables->operations) {
    // Half of the calls lie 4 s before the others.
    if (row.position >= 20) continue;
    row.api_start_ns -= 4'000 * static_cast<int64_t>(kMs);
    row.enqueue_ns -= 4'000 * static_cast<int64_t>(kMs);
  }
  EXPECT_TRUE(Judged(std::move(tables)).findings.empty());
}

TEST(Standstill, IsNotTheEndOfAJob) {
  auto left = calls_of_two(10'000);
  left->processes[1].life = Life::Ended;
  EXPECT_FALSE(find_standstill(*left).has_value());
  auto gave_up = calls_of_two(10'000);
  gave_up->members[0].finalize_ns = gave_up->processes[0].heard_ns;
  EXPECT_FALSE(find_standstill(*gave_up).has_value());
}

// Three ranks call on two communicators in turn, of which rank 2 turns the last two round.
TEST(Standstill, IsADeadlockWhereOneRankLeftTheOrderOfAllStepsBefore) {
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords one = rank_of(&run, 1, 0xc0, rank, 3),
                        two = rank_of(&run, 2, 0xd0, rank, 3);
    for (unsigned i = 0; i < 40; ++i) {
      driver::RankOperation op = open_at(i);
      op.channels = 0;
      op.sequence = i / 2;
      const bool turned = rank == 2 && i >= 38;
      ((i % 2 == 0) != turned ? one : two).operation(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), {&one.user, &two.user}, "test");
  }
  auto tables = run.load();
  for (ProcessRow& process : tables->processes) {
    process.life = Life::Dead;
    process.heard_ns += 10'000 * static_cast<int64_t>(kMs);
  }
  const Judged judged(std::move(tables));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::Deadlock) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{2});
}

TEST(Standstill, IsNotSaidBesideAMismatchThatExplainsIt) {
  auto tables = calls_of_two(10'000);
  tables->operations.back().size_bytes /= 2;
  const Judged judged(std::move(tables));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::Mismatch);
}

TEST(Standstill, IsNotSaidOfAHandfulOfCallsNorWhereEndsAreKnown) {
  EXPECT_FALSE(find_standstill(*calls_of_two(10'000, 10)).has_value());
  auto known = calls_of_two(10'000);
  known->operations[0].state = OpState::Done;
  EXPECT_FALSE(find_standstill(*known).has_value());
}

}  // namespace
}  // namespace lockstep::analysis
