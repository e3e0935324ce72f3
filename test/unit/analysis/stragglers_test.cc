// Who is accused of being late when many come late: for one rank's fault, for a host's, for
// nobody's.
#include "clocksync/clock_model.h"
#include "test/unit/analysis/diagnose_ranks.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kMany = 99;

// Runs kMany operations of `ranks` ranks, `per_host` to a host, whose clocks agree to 1 us.
// late_ns(rank, operation) is how late a rank calls.
template <class Late>
Diagnosis diagnose_ranks(int32_t ranks, int32_t per_host, const Late& late_ns) {
  TestRun run;
  clocksync::ClockModel model;
  model.reference = "a";
  for (int32_t rank = 0; rank < ranks; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, ranks);
    for (unsigned i = 0; i < kMany; ++i) records.operation(operation_at(i, late_ns(rank, i)));
    const std::string host(1, static_cast<char>('a' + rank / per_host));
    run.add(static_cast<uint32_t>(10 + rank), {&records.proxy, &records.user}, host);
    if (rank % per_host != 0) continue;
    clocksync::HostModel& one = model.hosts.emplace_back();
    one.host = host;
    one.source = clocksync::OffsetSource::Probes;
    one.knots = {{0, 0, -500, 500}, {static_cast<int64_t>(run.end_ns), 0, -500, 500}};
  }
  EXPECT_TRUE(model.save(run.path() + "/" + clocksync::kClockModelFile).ok());
  return diagnose(*run.load());
}

std::string all_text(const Diagnosis& diagnosis) {
  std::string text;
  for (const Finding& finding : diagnosis.findings) text += finding.text + "\n";
  for (const std::string& line : diagnosis.not_known) text += line + "\n";
  return text;
}

uint64_t a_little(int32_t rank, unsigned i) {
  return (static_cast<unsigned>(rank) * 37 + i * 61) % 100 * 1'000;
}

TEST(Stragglers, AccusesTheRankThatIsLateBesideOneThatBusyProcessorsHoldUp) {
  // 24 times by 5 ms, the other 13 times: together they have nearly all, and it has not most by
  // far.
  const Diagnosis diagnosis = diagnose_ranks(4, 4, [](int32_t rank, unsigned i) {
    if (rank == 2 && i % 4 == 0) return 5 * kMs;
    if (rank == 0 && i % 8 == 1) return (3 + i % 3) * kMs;
    if (rank == 1 && i % 32 == 2) return 6 * kMs;
    return a_little(rank, i);
  });
  ASSERT_FALSE(diagnosis.findings.empty()) << all_text(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2});
  EXPECT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
}

TEST(Stragglers, AccusesALateRankAlthoughOthersComeEarly) {
  // One rank is always 5 ms before the others; that says nothing of who is 4 ms after them.
  const Diagnosis diagnosis = diagnose_ranks(4, 4, [](int32_t rank, unsigned i) {
    if (rank == 0) return a_little(rank, i);
    return (rank == 2 && i % 3 == 0 ? 9 : 5) * kMs + a_little(rank, i);
  });
  ASSERT_FALSE(diagnosis.findings.empty()) << all_text(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{2}) << all_text(diagnosis);
  EXPECT_NE(diagnosis.findings[0].text.find("in 32 of 98 operations"), std::string::npos)
      << all_text(diagnosis);
}

TEST(Stragglers, AccusesSeveralRanksThatAreLateInTurn) {
  const Diagnosis diagnosis = diagnose_ranks(16, 1, [](int32_t rank, unsigned i) {
    const bool turn = rank == static_cast<int32_t>(i % 4) * 4;
    return (turn ? 4 * kMs : 0) + a_little(rank, i);
  });
  std::vector<int32_t> accused;
  for (const Finding& finding : diagnosis.findings)
    accused.insert(accused.end(), finding.culprits.begin(), finding.culprits.end());
  std::sort(accused.begin(), accused.end());
  EXPECT_EQ(accused, (std::vector<int32_t>{0, 4, 8, 12})) << all_text(diagnosis);
}

TEST(Stragglers, NamesASlowHostOnceWithAllItsRanks) {
  for (const int32_t hosts : {2, 4}) {
    const Diagnosis diagnosis = diagnose_ranks(4 * hosts, 4, [](int32_t rank, unsigned i) {
      return (rank / 4 == 1 ? 3 * kMs : 0) + a_little(rank, i);
    });
    ASSERT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
    EXPECT_EQ(diagnosis.findings[0].culprits, (std::vector<int32_t>{4, 5, 6, 7}));
    EXPECT_EQ(
        diagnosis.findings[0].text.find(
            "Ranks 4, 5, 6, 7 of communicator world (0xc0), all it has on host b, came last and "
            "late in 98 of 98 operations, typically by 3.0 ms"),
        0u)
        << all_text(diagnosis);
  }
}

TEST(Stragglers, DoesNotAccuseTheHostOfOneLateRank) {
  const Diagnosis diagnosis = diagnose_ranks(8, 4, [](int32_t rank, unsigned i) {
    return (rank == 5 && i % 3 == 0 ? 3 * kMs : 0) + a_little(rank, i);
  });
  ASSERT_EQ(diagnosis.findings.size(), 1u) << all_text(diagnosis);
  EXPECT_EQ(diagnosis.findings[0].culprits, std::vector<int32_t>{5}) << all_text(diagnosis);
}

TEST(Stragglers, SaysThatNobodyStandsOutWhereAllComeApart) {
  const Diagnosis diagnosis = diagnose_ranks(4, 4, [](int32_t rank, unsigned i) {
    return (static_cast<unsigned>(rank) + i) % 4 * 2 * kMs;
  });
  EXPECT_TRUE(diagnosis.findings.empty()) << all_text(diagnosis);
  EXPECT_NE(all_text(diagnosis).find(
                "Who makes the others wait on communicator world (0xc0): its ranks come apart by"),
            std::string::npos)
      << all_text(diagnosis);
}

TEST(Stragglers, SaysNothingWhereNobodyIsLate) {
  const Diagnosis diagnosis = diagnose_ranks(8, 4, a_little);
  EXPECT_TRUE(diagnosis.findings.empty()) << all_text(diagnosis);
  EXPECT_EQ(all_text(diagnosis).find("Who makes the others wait"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::analysis
