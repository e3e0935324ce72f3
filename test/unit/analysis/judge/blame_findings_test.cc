// Who is accused of being late when many come late: for one rank's fault, for a host's, for
// nobody's.
#include "analysis/judge/blame_findings.h"

#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kMany = 99;

// late_ns(rank, operation) is how late a rank calls.
template <class Late>
Judged diagnose_ranks(int32_t ranks, int32_t per_host, const Late& late_ns) {
  return diagnose_hosts(ranks, per_host, kMany, [&](int32_t rank, unsigned i) {
    return operation_at(i, late_ns(rank, i));
  });
}

uint64_t a_little(int32_t rank, unsigned i) {
  return (static_cast<unsigned>(rank) * 37 + i * 61) % 100 * 1'000;
}

TEST(Stragglers, AccusesTheRankThatIsLateBesideOneThatBusyProcessorsHoldUp) {
  // 24 times by 5 ms, the others now and then, which costs the job 1 % each.
  const Judged diagnosis = diagnose_ranks(4, 4, [](int32_t rank, unsigned i) -> uint64_t {
    if (rank == 2 && i % 4 == 0) return 5 * kMs;
    if (rank == 0 && i % 16 == 1) return (3 + i % 3) * kMs;
    if (rank == 1 && i % 32 == 2) return 6 * kMs;
    return a_little(rank, i);
  });
  ASSERT_FALSE(diagnosis.findings.empty()) << all_text(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2});
  EXPECT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
}

TEST(Stragglers, AccusesALateRankAlthoughOthersComeEarly) {
  // One rank is always 5 ms before the others; that says nothing of who is 4 ms after them.
  const Judged diagnosis = diagnose_ranks(4, 4, [](int32_t rank, unsigned i) -> uint64_t {
    if (rank == 0) return a_little(rank, i);
    return (rank == 2 && i % 3 == 0 ? 9 : 5) * kMs + a_little(rank, i);
  });
  ASSERT_FALSE(diagnosis.findings.empty()) << all_text(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2}) << all_text(diagnosis);
  EXPECT_NE(diagnosis.text().find("in 32 of 98 operations"), std::string::npos)
      << all_text(diagnosis);
}

TEST(Stragglers, AccusesSeveralRanksThatAreLateInTurn) {
  const Judged diagnosis = diagnose_ranks(16, 1, [](int32_t rank, unsigned i) -> uint64_t {
    const bool turn = rank == static_cast<int32_t>(i % 4) * 4;
    return (turn ? 4 * kMs : 0) + a_little(rank, i);
  });
  std::vector<int32_t> accused;
  for (const Finding& finding : diagnosis.findings)
    accused.insert(accused.end(), finding.culprits.begin(), finding.culprits.end());
  std::sort(accused.begin(), accused.end());
  EXPECT_EQ(accused, (std::vector<int32_t>{0, 4, 8, 12})) << all_text(diagnosis);
}

TEST(Stragglers, DoesNotAccuseForATrifleBesideALateRank) {
  // 68 times by a third of a millisecond, against 30 times by 5 ms: less than 2 % of the run.
  const Judged diagnosis = diagnose_ranks(4, 4, [](int32_t rank, unsigned i) -> uint64_t {
    if (rank == 2 && i % 10 < 3) return 5 * kMs;
    return (rank == 3 ? 300'000u : 0u) + a_little(rank, i) / 10;
  });
  ASSERT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2});
}

TEST(Stragglers, NamesASlowHostOnceWithAllItsRanks) {
  for (const int32_t hosts : {2, 4}) {
    const Judged diagnosis = diagnose_ranks(4 * hosts, 4, [](int32_t rank, unsigned i) -> uint64_t {
      return (rank / 4 == 1 ? 3 * kMs : 0) + a_little(rank, i);
    });
    ASSERT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
    EXPECT_EQ(diagnosis.findings[0].culprits, (std::vector<int32_t>{4, 5, 6, 7}));
    EXPECT_EQ(
        diagnosis.text().find(
            "Ranks 4, 5, 6 and 7 of world, all of its ranks on host b, arrived last, and clearly "
            "late, in 98 of 98 operations, typically by 3.0"),
        0u)
        << all_text(diagnosis);
  }
}

TEST(Stragglers, DoesNotAccuseTheHostOfOneLateRank) {
  const Judged diagnosis = diagnose_ranks(8, 4, [](int32_t rank, unsigned i) -> uint64_t {
    return (rank == 5 && i % 3 == 0 ? 3 * kMs : 0) + a_little(rank, i);
  });
  ASSERT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{5}) << all_text(diagnosis);
}

TEST(Stragglers, SaysThatNobodyStandsOutWhereAllComeApart) {
  const Judged diagnosis = diagnose_ranks(4, 4, [](int32_t rank, unsigned i) -> uint64_t {
    return (static_cast<unsigned>(rank) + i) % 4 * 2 * kMs;
  });
  EXPECT_TRUE(diagnosis.findings.empty()) << all_text(diagnosis);
  EXPECT_NE(all_text(diagnosis).find("Nobody stands out as late on world, yet its ranks arrive"),
            std::string::npos)
      << all_text(diagnosis);
}

TEST(Stragglers, SaysNothingWhereNobodyIsLate) {
  const Judged diagnosis = diagnose_ranks(8, 4, a_little);
  EXPECT_TRUE(diagnosis.findings.empty()) << all_text(diagnosis);
  EXPECT_EQ(all_text(diagnosis).find("Nobody stands out"), std::string::npos);
}

TEST(SlowPaths, NamesTheRanksOfAHostWhoseLinkIsSlow) {
  for (const int32_t hosts : {2, 4}) {
    const Judged diagnosis =
        diagnose_hosts(2 * hosts, 2, kOperations, [](int32_t rank, unsigned i) {
          driver::RankOperation op = operation_at(i, a_little(rank, i));
          op.steps = 2;
          op.network_ns = rank / 2 == 1 ? 600'000 : 50'000;
          return op;
        });
    ASSERT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
    EXPECT_EQ(diagnosis.findings[0].kind, FindingKind::SlowLink);
    EXPECT_EQ(diagnosis.findings[0].culprits, (std::vector<int32_t>{2, 3}));
    const std::string to = hosts == 2 ? "a" : "c";
    EXPECT_EQ(diagnosis.text().find("What ranks 2 and 3 of world send to host " + to +
                                    " takes 12.0 times"),
              0u)
        << all_text(diagnosis);
  }
}

Finding slow_transfers(double gain_share, bool replayed = true) {
  PathFacts facts;
  facts.gain_share = gain_share;
  facts.replayed = replayed;
  Finding finding;
  finding.confidence = 0.9;
  finding.facts = facts;
  return finding;
}
Finding straggler(double gain_share) {
  LateFacts facts;
  facts.gain_share = gain_share;
  Finding finding;
  finding.confidence = 0.9;
  finding.facts = facts;
  return finding;
}

TEST(TransfersBesideWorse, AreDoubtedWhereTheyCostLessThanHalfAsMuch) {
  std::vector<Finding> findings{slow_transfers(0.09), straggler(0.2), slow_transfers(0.11),
                                straggler(0.05), slow_transfers(0, false)};
  doubt_transfers_beside_worse(&findings);
  EXPECT_EQ(findings[0].confidence, 0.5);
  EXPECT_EQ(findings[1].confidence, 0.9);
  EXPECT_EQ(findings[2].confidence, 0.9);
  EXPECT_EQ(findings[3].confidence, 0.9) << "late ranks beside a later one are right";
  EXPECT_EQ(findings[4].confidence, 0.9) << "what network steps show outright";
}

// Two ranks of communicator 1, of which the first is rank 0 of communicator 0 as well.
void add_two_ranks(RunTables* two, OwnSegments* owns) {
  RunTables& run = *two;
  OwnSegments& own = *owns;
  for (uint32_t process = 0; process < 2; ++process) {
    run.processes.emplace_back();
    own.actors.emplace_back().process = process;
    own.first_actor.push_back(process);
  }
  const auto join = [&](uint32_t communicator, uint32_t process, int32_t rank) {
    MemberRow& member = run.members.emplace_back();
    member.communicator = communicator;
    member.process = process;
    member.rank = rank;
    own.member_local.push_back(0);
  };
  run.communicators.resize(2);
  join(0, 0, 0);
  join(1, 0, 5);
  join(1, 1, 7);
  run.communicators[0].members = 1;
  run.communicators[1].first_member = 1;
  run.communicators[1].members = 2;
}
SlowPart slow_edge() {
  SlowPart part;
  part.actors = {0};
  part.peer = 1;
  part.communicator = 0;
  part.usual_ns = part.took_ns = part.span_ns = 1;
  return part;
}

TEST(SlowPartFinding, IsAboutACommunicatorOfBothEnds) {
  RunTables run;
  OwnSegments own;
  add_two_ranks(&run, &own);
  SlowPart part = slow_edge();
  part.both_ways = true;
  const Finding finding = slow_part_finding(run, own, part);
  EXPECT_EQ(finding.communicator, 1u);
  EXPECT_EQ(finding.culprits, std::vector<int32_t>{5});
  EXPECT_EQ(std::get<PathFacts>(finding.facts).peer, 7);
}

TEST(SlowPartFinding, IsAsSureAsSuchFindingsWereRight) {
  RunTables run;
  OwnSegments own;
  add_two_ranks(&run, &own);
  const auto confidence = [&](const SlowPart& part) {
    return slow_part_finding(run, own, part).confidence;
  };
  SlowPart edge = slow_edge();
  EXPECT_EQ(confidence(edge), 0.91);
  edge.of_tree = true;
  EXPECT_EQ(confidence(edge), 0.75) << "what a host of a tree has to carry looks like that";
  edge.steady = false;
  EXPECT_EQ(confidence(edge), 0.5);
  SlowPart rank = slow_edge();
  rank.peer = kNoRow;
  EXPECT_EQ(confidence(rank), 0.95);
  rank.inside_host = true;
  EXPECT_EQ(confidence(rank), 0.95);
  rank.both_ends = true;
  EXPECT_EQ(confidence(rank), 0.9) << "what connects the GPUs of a host";
  rank.inside_host = false;
  EXPECT_EQ(confidence(rank), 0.65);
  rank.host = true;
  EXPECT_EQ(confidence(rank), 0.8);
}

}  // namespace
}  // namespace lockstep::analysis
