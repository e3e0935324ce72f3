// Jobs of which only calls were recorded, and in which nobody calls anything any more.
#include "analysis/judge/standstill.h"

#include <functional>

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

// Of one communicator and the calls on it, in order: which of the 40 calls of each of its ranks. Ranks are processes.
struct CallsOn {
  uint64_t hash = 0;
  std::vector<int32_t> processes;
  std::function<bool(int32_t process, unsigned call)> makes;
};
std::unique_ptr<RunTables> standing_still(int32_t processes, const std::vector<CallsOn>& all) {
  TestRun run;
  for (int32_t process = 0; process < processes; ++process) {
    std::vector<driver::RankRecords> records;
    for (const CallsOn& one : all) {
      const auto at = std::find(one.processes.begin(), one.processes.end(), process);
      if (at == one.processes.end()) continue;
      records.emplace_back(1 + static_cast<uint32_t>(records.size()), one.hash,
                           static_cast<int32_t>(at - one.processes.begin()),
                           static_cast<int32_t>(one.processes.size()),
                           static_cast<uint32_t>(10 + process), &run.strings);
      records.back().init(1'000 * kMs);
      uint64_t sequence = 0;
      for (unsigned call = 0; call < 40; ++call) {
        if (!one.makes(process, call)) continue;
        driver::RankOperation op;
        op.channels = 0;
        op.sequence = sequence++;
        op.call_ns = (2'000 + call * 100) * kMs + one.hash;
        records.back().operation(op);
      }
    }
    std::vector<const std::vector<uint64_t>*> users;
    for (const driver::RankRecords& one : records) users.push_back(&one.user);
    run.add(static_cast<uint32_t>(10 + process), users, "test");
  }
  std::unique_ptr<RunTables> tables = run.load();
  int64_t last_ns = kNoTime;
  for (const OperationRow& row : tables->operations) last_ns = std::max(last_ns, row.called_ns());
  for (ProcessRow& process : tables->processes) {
    process.life = Life::Dead;
    process.recovered = 1;
    process.heard_ns = last_ns + 10'000 * static_cast<int64_t>(kMs);
  }
  return tables;
}

// They call every tenth time only, so that 10 s are not long for such calls by themselves.
TEST(Standstill, NamesWhoIsMissingFromACallThatIsRare) {
  const Judged judged(
      standing_still(3, {{0xc0, {0, 1, 2}, [](int32_t, unsigned call) { return call % 10 != 9; }},
                         {0xd0, {0, 1, 2}, [](int32_t process, unsigned call) {
                            return call % 10 == 9 && (process != 1 || call != 39);
                          }}}));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::MissingRank) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{1});
}

// Process 0, which has called all that 1 has, is gone. So 1 does not come to what 2 has called.
TEST(Standstill, NamesTheProcessThatIsGoneForWhomTheMissingRankMayWait) {
  const std::vector<CallsOn> calls = {
      {0xc0, {0, 1}, [](int32_t, unsigned) { return true; }},
      {0xd0, {1, 2}, [](int32_t process, unsigned call) { return process == 2 || call != 39; }}};
  const Judged all_there(standing_still(3, calls));
  ASSERT_EQ(all_there.findings.size(), 1u) << all_text(all_there);
  EXPECT_EQ(all_there.findings[0].kind, FindingKind::MissingRank) << all_there.text();
  auto tables = standing_still(3, calls);
  tables->processes[0].heard_ns -= 9'000 * static_cast<int64_t>(kMs);
  const Judged judged(std::move(tables));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::DeadProcess) << judged.text();
  EXPECT_TRUE(judged.findings[0].culprits.empty());
  EXPECT_NE(judged.text().find("the process of world rank 0 died or was frozen"), std::string::npos)
      << judged.text();
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
