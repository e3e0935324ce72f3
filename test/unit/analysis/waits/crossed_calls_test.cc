// Calls in orders that contradict each other, where nothing tells what ended.
#include "analysis/waits/crossed_calls.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

// One process for each text, a rank of communicators a, b and c, which calls a collective for each letter, in this
// order; those in brackets are one group call. `streams`: each communicator has a stream of its own.
void lay_out(const std::vector<std::string>& processes, bool streams, RunTables* tables) {
  RunTables& run = *tables;
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> matches;
  for (uint32_t comm = 0; comm < 3; ++comm) {
    CommunicatorRow& row = run.communicators.emplace_back();
    row.first_member = static_cast<uint32_t>(run.members.size());
    row.members = static_cast<uint32_t>(processes.size());
    row.nranks = static_cast<int32_t>(processes.size());
    for (uint32_t process = 0; process < processes.size(); ++process) {
      MemberRow& member = run.members.emplace_back();
      member.communicator = comm, member.process = process;
      member.rank = static_cast<int32_t>(process);
    }
  }
  for (uint32_t process = 0; process < processes.size(); ++process) {
    run.processes.emplace_back();
    uint32_t positions[3] = {};
    uint64_t group = 0, groups = 0;
    for (const char call : processes[process]) {
      if (call == '(') group = ++groups;
      if (call == ')') group = 0;
      if (call == '(' || call == ')') continue;
      OperationRow& row = run.operations.emplace_back();
      row.process = process;
      row.rank = static_cast<int32_t>(process);
      row.communicator = static_cast<uint32_t>(call - 'a');
      row.position = positions[row.communicator]++;
      row.state = OpState::Enqueued;
      row.group_id = group;
      row.stream = streams ? row.communicator + 1 : 0;
      const auto number = static_cast<uint32_t>(matches.size());
      row.match = matches.try_emplace({row.communicator, row.position}, number).first->second;
    }
  }
  run.matches.resize(matches.size());
}
// A letter for each call: x can never end.
std::string marks_of(const RunTables& run) {
  std::string marks;
  std::vector<bool> ends_known(3);
  for (const OperationRow& row : run.operations) {
    if (row.state != OpState::Enqueued) ends_known[row.communicator] = true;
  }
  for (const bool one : crossed_calls(run, Actors(run), ends_known)) marks += one ? 'x' : '.';
  return marks;
}
std::string marked(const std::vector<std::string>& processes, bool streams = false) {
  RunTables run;
  lay_out(processes, streams, &run);
  return marks_of(run);
}
std::string repeated(int count, const std::string& calls) {
  std::string all;
  for (int i = 0; i < count; ++i) all += calls;
  return all;
}

TEST(CrossedCalls, AreThoseThatTwoRanksMakeTheOtherWayRound) {
  EXPECT_EQ(marked({"abab", "abba"}), "..xx..xx");
  EXPECT_EQ(marked({"abab", "abab"}), "........");
}

TEST(CrossedCalls, CloseACircleOverThreeRanks) {
  EXPECT_EQ(marked({"ab", "bc", "ca"}), "xxxxxx");
  EXPECT_EQ(marked({"ab", "bc", "ac"}), "......");
}

TEST(CrossedCalls, AreNoneWithinAGroupCall) {
  EXPECT_EQ(marked({"c(ab)c", "c(ba)c"}), "........");
  EXPECT_EQ(marked({"(ab)c", "c(ba)"}), "xxxxxx");
}

TEST(CrossedCalls, AreNoneOnStreamsOfTheirOwn) { EXPECT_EQ(marked({"ab", "ba"}, true), "...."); }

// Nobody recorded the streams that kept them apart.
TEST(CrossedCalls, AreNoneWhereTheJobWentOn) {
  EXPECT_NE(marked({repeated(250, "ab"), "ba" + repeated(249, "ab")}).find('x'), std::string::npos);
  EXPECT_EQ(marked({repeated(260, "ab"), "ba" + repeated(259, "ab")}).find('x'), std::string::npos);
}

TEST(CrossedCalls, AreNoneWhereEndsAreKnown) {
  RunTables run;
  lay_out({"ab", "ba"}, false, &run);
  for (OperationRow& row : run.operations) row.state = OpState::Done;
  EXPECT_EQ(marks_of(run), "....");
}

// Three ranks call on two communicators in turn, of which rank 2 turns the last two round. A watchdog ends the job.
std::unique_ptr<RunTables> turned_round(int64_t quiet_ms) {
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords one = rank_of(&run, 1, 0xc0, rank, 3),
                        two = rank_of(&run, 2, 0xd0, rank, 3);
    for (unsigned i = 0; i < 40; ++i) {
      const bool turned = rank == 2 && i >= 38;
      driver::RankOperation op = queued(open_at(i));
      op.sequence = i / 2;
      ((i % 2 == 0) != turned ? one : two).operation(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), {&one.user, &two.user}, "test");
  }
  auto tables = run.load();
  int64_t last_ns = kNoTime;
  for (const OperationRow& row : tables->operations) last_ns = std::max(last_ns, row.called_ns());
  for (MemberRow& member : tables->members) member.finalize_ns = last_ns + quiet_ms * 1'000'000;
  return tables;
}

TEST(CrossedCalls, AreADeadlockWhereNobodyCallsAnythingUntilTheJobGivesUp) {
  const Judged judged(turned_round(60'000));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::Deadlock) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, std::vector<int32_t>{2});
  EXPECT_NE(judged.text().find("LOCKSTEP_EVENTS=kernel or proxy"), std::string::npos)
      << judged.text();
}

// Calls that are captured into a graph run with its replays only: they tell of no end.
TEST(CrossedCalls, AreADeadlockBesideCallsThatAreCaptured) {
  auto tables = turned_round(60'000);
  for (OperationRow& row : tables->operations) {
    if (row.position == 0) row.state = OpState::Captured;
  }
  const Judged judged(std::move(tables));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::Deadlock) << judged.text();
}

TEST(CrossedCalls, AccuseNobodyWhereTheJobEndsRightAfterThem) {
  const Judged judged(turned_round(100));
  EXPECT_TRUE(judged.findings.empty() || judged.findings[0].confidence < 0.5) << all_text(judged);
}

}  // namespace
}  // namespace lockstep::analysis
