// One moment that holds the whole job up: whose it is, and where chance may have made it.
#include "analysis/whatif/pause.h"

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

}  // namespace
}  // namespace lockstep::analysis
