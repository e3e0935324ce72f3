// One moment that holds the whole job up: whose it is, and where chance may have made it.
#include "analysis/whatif/pause.h"

#include <map>

#include "test/unit/analysis/whatif/late_ranks.h"

namespace lockstep::analysis {
namespace {

// Rank 0 of four pauses once, rank 2 too if that is said.
Judged pauses(uint64_t ns, uint64_t of_another_ns = 0) {
  return all_reduces(4, 60, [=](int32_t rank, unsigned i) {
    return rank == 0 && i == 30 ? ns : rank == 2 && i == 10 ? of_another_ns : 0;
  });
}

TEST(Pauses, NamesARankWhoseOnlyPauseIsALargePartOfTheRun) {
  const Judged judged = pauses(60 * kMs);
  ASSERT_EQ(accused(judged), std::vector<int32_t>{0}) << all_text(judged);
  EXPECT_EQ(facts_of(judged).pattern.when, WhenLate::Once);
  EXPECT_NEAR(facts_of(judged).gain_share, 0.165, 0.01) << "60 ms of 370";
  EXPECT_NE(judged.text().find("clearly late, once, 2"), std::string::npos) << judged.text();
  EXPECT_NE(judged.text().find(" ms into the run, by 60.0 ms ("), std::string::npos);
  EXPECT_EQ(accused(pauses(25 * kMs)), std::vector<int32_t>{0}) << "7 % of the run";
  EXPECT_EQ(accused(pauses(18 * kMs)), std::vector<int32_t>{})
      << "6 %, but hardly more than a time slice";
}

TEST(Pauses, NamesARankForAPauseFarLongerThanThoseThatAllHave) {
  // Each rank stands still for 6 ms three times, and rank 0 once for 40 ms.
  const Judged judged = all_reduces(8, 60, [](int32_t rank, unsigned i) {
    return (i % 20 == static_cast<unsigned>(rank) ? 6 * kMs : 0) +
           (rank == 0 && i == 34 ? 40 * kMs : 0);
  });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{0}) << all_text(judged);
  EXPECT_EQ(facts_of(judged).pattern.when, WhenLate::Once);
}

// What the ranks of a group call or of two streams are late by together is one pause.
TEST(Pauses, NamesAPauseThatShowsOnSeveralStreams) {
  PlayedJob job(4, 4);
  for (unsigned i = 0; i < 60; ++i) {
    for (int32_t rank = 0; rank < 4; ++rank)
      job.work(rank, 4 * kMs + (rank == 0 && i == 30 ? 80 * kMs : 0));
    job.beside(
        0, [&](int32_t rank) { return job.now_ns(rank); }, kMs / 2);
    job.collective(0, kMs, "AllGather");
  }
  const Judged judged = job.judge();
  ASSERT_EQ(accused(judged), std::vector<int32_t>{0}) << all_text(judged);
  EXPECT_EQ(facts_of(judged).pattern.when, WhenLate::Once);
}

// Six ranks on three hosts, of which those of host b stand still once.
Judged host_pauses(uint64_t of_rank_2_ns, uint64_t of_rank_3_ns) {
  PlayedJob job(6, 2);
  Noise noise;
  for (unsigned i = 0; i < 60; ++i) {
    for (int32_t rank = 0; rank < 6; ++rank) {
      const uint64_t pause_ns = rank == 2 ? of_rank_2_ns : rank == 3 ? of_rank_3_ns : 0;
      job.work(rank, 4 * kMs + noise.upto(50 * kUs) + (i == 30 ? pause_ns : 0));
    }
    job.collective(0);
  }
  return job.judge();
}

TEST(Pauses, NamesAHostWhoseOnlyPauseIsALargePartOfTheRun) {
  const Judged judged = host_pauses(60 * kMs, 52 * kMs);
  ASSERT_EQ(accused(judged), (std::vector<int32_t>{2, 3})) << all_text(judged);
  EXPECT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(facts_of(judged).pattern.when, WhenLate::Once);
  EXPECT_NE(
      judged.text().find("all of its ranks on host b, arrived last, and clearly late, once, 2"),
      std::string::npos)
      << judged.text();
  EXPECT_NEAR(facts_of(judged).gain_share, 0.165, 0.01) << "60 ms of 370";
}

TEST(Pauses, NamesTheRankThatPausesLongBesideAShortPauseOfItsHost) {
  EXPECT_EQ(accused(host_pauses(60 * kMs, 10 * kMs)), std::vector<int32_t>{2});
}

TEST(Pauses, SaysOfAPauseBesideAnothersThatChanceIsNotExcluded) {
  const Judged judged = pauses(60 * kMs, 20 * kMs);
  EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
  ASSERT_EQ(suspicions(judged), 1);
  for (const NotKnown& gap : judged.not_known) {
    if (gap.kind != NotKnownKind::ByChance) continue;
    EXPECT_EQ(gap.ranks, std::vector<int32_t>{0});
    EXPECT_EQ(gap.count, 1u);
    EXPECT_GE(gap.share_percent, 15) << "60 ms of 390";
  }
}

TEST(Pauses, SaysNothingOfAPauseThatCostsLittle) {
  const Judged judged = pauses(10 * kMs);
  EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
  EXPECT_EQ(suspicions(judged), 0);
}

// Ranks 0 and 1, which come to an operation every millisecond of a run of 60; by how much too late, a test says.
class Bout {
 public:
  explicit Bout(const std::map<uint32_t, int64_t>& late_ns) { come(0, late_ns); }
  // How much too late the other one is, by operation.
  Bout& beside(const std::map<uint32_t, int64_t>& late_ns) {
    come(1, late_ns);
    return *this;
  }
  bool is_one() const { return is_bout(own_, path_, {0}, occasions_, 60 * int64_t{kMs}); }

 private:
  void come(uint32_t actor, const std::map<uint32_t, int64_t>& late_ns) {
    for (const auto& [operation, ns] : late_ns) {
      Segment& segment = own_.segments.emplace_back();
      segment.actor = actor;
      segment.before = 0;
      segment.start_ns = int64_t{operation} * int64_t{kMs};
      const auto arrival = static_cast<uint32_t>(own_.segments.size() - 1);
      path_.push_back({arrival, ns, ns});
      if (actor != 0 || ns < int64_t{kMs}) continue;
      Occasion& one = occasions_.emplace_back();
      one.arrival = arrival;
      one.excess_ns = ns;
    }
  }
  OwnSegments own_;
  std::vector<PathPiece> path_;
  std::vector<Occasion> occasions_;
};

TEST(Pauses, ABoutIsSeveralMomentsInOneShortPartOfTheRun) {
  constexpr int64_t kLate = 2 * kMs;
  EXPECT_TRUE(Bout({{30, kLate}, {31, kLate}, {32, kLate}}).is_one());
  EXPECT_FALSE(Bout({{30, kLate}, {31, kLate}}).is_one()) << "two, as of checkpoints";
  EXPECT_FALSE(Bout({{10, kLate}, {31, kLate}, {32, kLate}}).is_one()) << "in 24 of 60 ms";
  EXPECT_TRUE(Bout({{10, kLate}, {30, kLate}, {31, 3 * kLate}, {32, kLate}}).is_one())
      << "one by itself, a quarter as bad at most";
}

TEST(Pauses, ABoutIsNoneBesideOthersThatAreNearlyAsBad) {
  constexpr int64_t kLate = 2 * kMs, kLess = kMs / 2;
  const std::map<uint32_t, int64_t> bout{{30, kLate}, {31, kLate}, {32, kLate}};
  EXPECT_TRUE(Bout(bout).beside({{10, kLess}, {30, kLess}, {50, kLess}}).is_one());
  EXPECT_FALSE(Bout(bout).beside({{10, kLess}, {11, kLess}, {12, kLess}, {13, kLess}}).is_one());
  std::map<uint32_t, int64_t> later = bout;
  for (const uint32_t at : {50u, 51u, 52u, 53u}) later[at] = kLess;
  EXPECT_FALSE(Bout(later).is_one()) << "its own, at another time";
}

// A step of many operations, for which a rank of four is late throughout: as one step, chance may give it to anybody.
TEST(Pauses, NamesARankThatIsSlowForOneStep) {
  PlayedJob job(4, 4);
  Noise noise;
  for (unsigned step = 0; step < 12; ++step) {
    for (unsigned layer = 0; layer < 8; ++layer) {
      for (int32_t rank = 0; rank < 4; ++rank)
        job.work(rank, 4 * kMs + noise.upto(50 * kUs) + (rank == 2 && step == 5 ? 10 * kMs : 0));
      job.collective(0, kMs / 10, "AllGather");
    }
    job.collective(0, kMs);
    for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, 20 * kMs);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(accused(judged), std::vector<int32_t>{2}) << all_text(judged);
  EXPECT_NE(facts_of(judged).pattern.when, WhenLate::Once);
  EXPECT_NEAR(facts_of(judged).gain_share, 0.11, 0.02) << "80 of 720 ms";
}

}  // namespace
}  // namespace lockstep::analysis
