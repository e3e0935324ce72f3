// Whose lateness costs the job time: who is named for it, what it costs, and when in the run it was.
#include "test/unit/analysis/whatif/late_ranks.h"

namespace lockstep::analysis {
namespace {

// Of two ranks: steps of eight such iterations, and a reduction of another kind between them.
Judged all_reduces_in_steps(const Late& late_ns) {
  PlayedJob job(2, 1);
  Noise noise;
  for (unsigned i = 0; i < 64; ++i) {
    for (int32_t rank = 0; rank < 2; ++rank)
      job.work(rank, 4 * kMs + noise.upto(50 * kUs) + late_ns(rank, i));
    job.collective(0);
    if (i % 8 == 7) job.collective(0, kMs / 2, "AllGather");
  }
  return job.judge();
}

TEST(Culprits, SaysWhatALateRankCostsTheJob) {
  // 20 of 60 iterations of 5 ms by another 5 ms: 100 of 400 ms.
  const Judged judged = all_reduces(
      4, 60, [](int32_t rank, unsigned i) { return rank == 2 && i % 3 == 1 ? 5 * kMs : 0; });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{2}) << all_text(judged);
  EXPECT_NEAR(facts_of(judged).gain_share, 0.25, 0.01);
  EXPECT_NEAR(static_cast<double>(facts_of(judged).gain_ns), 100e6, 2e6);
  EXPECT_NE(judged.text().find("Without it the run would be 25 % ("), std::string::npos)
      << judged.text();
}

// Two stretches of iterations, which chance may well give one rank of two; but they cost a quarter of the run.
TEST(Culprits, NamesWhoCostsMuchThoughChanceMayHaveChosenIt) {
  const auto stretches = [](uint64_t ns) {
    return
        [ns](int32_t rank, unsigned i) { return rank == 1 && (i / 8 == 2 || i / 8 == 5) ? ns : 0; };
  };
  EXPECT_EQ(accused(all_reduces_in_steps(stretches(6 * kMs))), std::vector<int32_t>{1});
  EXPECT_TRUE(accused(all_reduces_in_steps(stretches(kMs))).empty());
}

TEST(Culprits, TwoLateRanksOfFourDoNotExcuseEachOther) {
  Noise noise;
  const Judged judged = all_reduces(4, 60, [&](int32_t rank, unsigned) {
    return (rank == 1 || rank == 2) && noise.upto(10) < 4 ? 5 * kMs : 0;
  });
  EXPECT_EQ(accused(judged), (std::vector<int32_t>{1, 2})) << all_text(judged);
  EXPECT_EQ(judged.findings.size(), 2u);
}

// Two pairs of ranks, of which those of a pair have inputs of one length. Rank 3 is late now and then; its pair has the
// longer inputs in every other step.
TEST(Culprits, DoNotNameWhoHasTheLengthOfItsInputInCommonWithACulprit) {
  PlayedJob job(4, 4);
  const unsigned pairs[] = {job.communicator({0, 1}), job.communicator({2, 3})};
  Noise noise;
  for (unsigned i = 0; i < 40; ++i) {
    for (unsigned layer = 0; layer < 4; ++layer) {
      for (int32_t rank = 0; rank < 4; ++rank) {
        const uint64_t longer_ns = rank >= 2 && i % 2 == 0 ? 2 * kMs : 0;
        const uint64_t late_ns = rank == 3 && layer == 0 && i % 4 == 1 ? 30 * kMs : 0;
        job.work(rank, 4 * kMs + noise.upto(50 * kUs) + longer_ns + late_ns);
      }
      for (const unsigned pair : pairs) job.collective(pair, kMs / 10);
    }
    job.collective(0);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(world_ranks(judged), Ranks{3});
}

// Steps of 4 ms of work, an all-reduce, and a broadcast whose end is not recorded: it passes the ranks
// one after the other.
Judged broadcasts(const Late& late_ns) {
  constexpr int32_t kRanks = 8;
  PlayedJob job(kRanks, kRanks);
  Noise noise;
  for (unsigned i = 0; i < 40; ++i) {
    for (int32_t rank = 0; rank < kRanks; ++rank)
      job.work(rank, 4 * kMs + noise.upto(50 * kUs) + late_ns(rank, i));
    job.collective(0);
    job.call_only(0, "Broadcast");
    for (int32_t rank = 0; rank < kRanks; ++rank)
      job.work(rank, 300 * kUs * static_cast<uint64_t>(rank));
  }
  return job.judge();
}

TEST(Culprits, DoesNotTakeTheWaitInAnOperationWithoutARecordedEndForLateness) {
  const Judged judged = broadcasts([](int32_t, unsigned) { return 0; });
  EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
}

TEST(Culprits, NamesALateRankBehindAnOperationWithoutARecordedEnd) {
  const Judged judged =
      broadcasts([](int32_t rank, unsigned i) { return rank == 2 && i % 3 == 1 ? 5 * kMs : 0; });
  EXPECT_EQ(accused(judged), std::vector<int32_t>{2}) << all_text(judged);
}

// A reduction lets rank 0 go at once, which works 2 ms until the next operation. The others' work hides
// in its wait for rank 7, whose GPU is slow.
TEST(Culprits, AccusesNobodyWhoLeftAReductionBeforeTheOthersAndIsNotLateForTheNext) {
  constexpr int32_t kRanks = 8;
  PlayedJob job(kRanks, kRanks);
  Noise noise;
  for (unsigned i = 0; i < 40; ++i) {
    for (int32_t rank = 0; rank < kRanks; ++rank)
      job.work(rank, 4 * kMs + noise.upto(50 * kUs) + (rank == 7 ? 4 * kMs : 0));
    const uint64_t slow_ns = job.now_ns(7) + 100 * kUs;
    job.each_until(0, "Reduce", [&](int32_t rank) {
      return rank == 0 ? job.now_ns(rank) + 100 * kUs : slow_ns;
    });
    job.work(0, 2 * kMs);
    job.work(7, 6 * kMs);
    job.collective(0);
  }
  const Judged judged = job.judge();
  EXPECT_EQ(accused(judged), std::vector<int32_t>{7}) << all_text(judged);
}

TEST(Culprits, NamesTheLateOneOfTwoRanks) {
  const Judged judged = all_reduces(
      2, 30, [](int32_t rank, unsigned i) { return rank == 1 && i % 4 == 1 ? 5 * kMs : 0; });
  EXPECT_EQ(accused(judged), std::vector<int32_t>{1}) << all_text(judged);
}

TEST(Culprits, NamesARankThatStandsStillSeldomAndLong) {
  const Judged judged = all_reduces(
      4, 30, [](int32_t rank, unsigned i) { return rank == 0 && i % 10 == 9 ? 40 * kMs : 0; });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{0}) << all_text(judged);
  EXPECT_GT(facts_of(judged).gain_share, 0.4);
  EXPECT_LT(judged.findings[0].confidence, 0.9) << "three occasions prove little";
}

TEST(Culprits, NamesOfTwoRanksTheOneWhosePausesAreALargePartOfTheRun) {
  const Judged judged = all_reduces(
      2, 60, [](int32_t rank, unsigned i) { return rank == 0 && i % 20 == 9 ? 60 * kMs : 0; });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{0}) << all_text(judged);
  EXPECT_LT(judged.findings[0].confidence, 0.85) << "three occasions of two ranks prove little";
}

// Two hosts of two ranks: the second is late for one operation of three, and rank 0 stalls now and then; an
// evaluation comes now and then, which no step begins with.
Judged always_late_beside_stalls(uint64_t stall_ns, const std::vector<unsigned>& stalls) {
  PlayedJob job(4, 2);
  Noise noise;
  for (unsigned i = 0; i < 100; ++i) {
    const bool stalls_now = std::find(stalls.begin(), stalls.end(), i) != stalls.end();
    for (const uint64_t size : {16'384u, 32'768u, 65'536u}) {
      job.size(size);
      for (int32_t rank = 0; rank < 4; ++rank) {
        const bool late = rank > 1 && size == 16'384, stands_still = rank == 0 && stalls_now;
        job.work(rank, 4 * kMs + noise.upto(50 * kUs) +
                           (late           ? 3 * kMs
                            : stands_still ? stall_ns
                                           : 0));
      }
      job.collective(0);
    }
    for (int k = 0; k < 2 && i % 17 == 16; ++k) job.collective(0, kMs, "AllGather");
  }
  return job.judge();
}

TEST(Culprits, NamesTheHostOfTwoThatIsAlwaysLate) {
  const Judged judged = always_late_beside_stalls(12 * kMs, {30});
  EXPECT_EQ(accused(judged), (std::vector<int32_t>{2, 3})) << all_text(judged);
  EXPECT_EQ(judged.findings.size(), 1u);
}

// Three hosts of two ranks, of which those of the second are late in turn.
Judged late_in_turn(uint64_t second_ns) {
  PlayedJob job(6, 2);
  Noise noise;
  for (unsigned i = 0; i < 60; ++i) {
    for (int32_t rank = 0; rank < 6; ++rank) {
      const uint64_t late_ns = rank == 2 && i % 2 == 0   ? 4 * kMs
                               : rank == 3 && i % 2 == 1 ? second_ns
                                                         : 0;
      job.work(rank, 4 * kMs + noise.upto(50 * kUs) + late_ns);
    }
    job.collective(0);
  }
  return job.judge();
}

TEST(Culprits, NamesTheHostWhoseRanksAreLateInTurn) {
  const Judged judged = late_in_turn(3 * kMs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(accused(judged), (std::vector<int32_t>{2, 3}));
  EXPECT_TRUE(facts_of(judged).whole_host);
  EXPECT_NEAR(facts_of(judged).gain_share, 0.41, 0.02) << "210 of 510 ms";
  EXPECT_EQ(late_in_turn(kMs).findings.size(), 2u) << "one costs a quarter as much";
}

// What one rank loses alone is nothing that the ranks of its host lose together.
TEST(Culprits, NamesTheHostThatIsAlwaysLateBesideARankThatStallsLong) {
  const Judged judged = always_late_beside_stalls(20 * kMs, {30, 61});
  EXPECT_EQ(accused(judged), (std::vector<int32_t>{2, 3})) << all_text(judged);
}

// Chance gives nobody 30 moments of 2.5 ms, though the one long stall of each other rank costs a third as much.
TEST(Culprits, NamesWhoIsLateFarTooOftenForChanceBesideLongStallsOfOthers) {
  const Judged judged = all_reduces(8, 240, [](int32_t rank, unsigned i) -> uint64_t {
    if (rank == 4) return i % 8 == 0 ? 5 * kMs / 2 : 0;
    return i == static_cast<unsigned>(30 * rank + 5) ? 45 * kMs / 2 : 0;
  });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{4}) << all_text(judged);
  EXPECT_NEAR(facts_of(judged).gain_share, 0.05, 0.01) << "75 ms of 1,430";
}

TEST(Culprits, DoesNotAccuseOfLittleWhatChanceMayHaveDone) {
  // Three of 60 iterations of 5 ms, of four ranks: chance does that to one of them in one of 16 jobs.
  const auto late_by = [](uint64_t late_ns) {
    return all_reduces(4, 60, [&](int32_t rank, unsigned i) {
      return rank == 2 && (i == 5 || i == 30 || i == 55) ? late_ns : 0;
    });
  };
  EXPECT_EQ(accused(late_by(4 * kMs)), std::vector<int32_t>{});
  EXPECT_EQ(accused(late_by(7 * kMs)), std::vector<int32_t>{2});
}

// Rank 3 is late by 10 ms each time, the others of its host by as long as is said.
Judged late_beside_others_of_its_host(uint64_t others_late_ns) {
  PlayedJob job(8, 4);
  Noise noise;
  for (unsigned i = 0; i < 60; ++i) {
    for (int32_t rank = 0; rank < 8; ++rank) {
      const uint64_t late_ns = rank == 3 ? 10 * kMs : rank < 3 ? others_late_ns : 0;
      job.work(rank, 4 * kMs + noise.upto(50 * kUs) + late_ns);
    }
    job.collective(0);
  }
  return job.judge();
}

TEST(Culprits, LeavesOutWhatLittleIsLeftOfAHostBesideItsLateRank) {
  EXPECT_EQ(accused(late_beside_others_of_its_host(2 * kMs)), std::vector<int32_t>{3});
  const Judged judged = late_beside_others_of_its_host(5 * kMs);
  EXPECT_EQ(accused(judged), (std::vector<int32_t>{0, 1, 2, 3})) << all_text(judged);
}

TEST(Culprits, SuspectsTheLaterOfTwoRanksThatAreBothLate) {
  const Judged judged = all_reduces(2, 60, [](int32_t rank, unsigned i) {
    return rank == 0 && i % 5 < 3 ? 3 * kMs : rank == 1 && i % 5 == 4 ? 3 * kMs : 0;
  });
  EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
  EXPECT_EQ(suspicions(judged), 1);
}

TEST(Culprits, AccusesNobodyWhereOneOfTwoPausesIsNearlyAllTheCost) {
  // 90 ms in 3.4 s, but the second pause alone is less than 1 % of the run.
  const Judged judged = all_reduces(4, 80, [](int32_t rank, unsigned i) {
    const uint64_t pause_ns = rank != 0 ? 0
                              : i == 30 ? 60 * kMs
                              : i == 31 ? 30 * kMs + 500 * kUs
                                        : 0;
    return 36 * kMs + pause_ns;
  });
  EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
}

TEST(Culprits, AccusesNobodyOfNoiseThatAllHave) {
  // Each rank loses its processor for 4 ms now and then: a tenth of the run, by all of them.
  Noise noise;
  const Judged judged =
      all_reduces(4, 80, [&](int32_t, unsigned) { return noise.upto(10) == 0 ? 4 * kMs : 0; });
  EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
}

// Rank 0 hands out requests: all wait for its broadcast, and it comes 20 ms late to every so many of them.
Judged serve_requests(unsigned every) {
  PlayedJob job(4, 4);
  Noise noise;
  for (unsigned request = 0; request < 30; ++request) {
    if (request % every == 1 % every) job.work(0, 20 * kMs + noise.upto(5 * kMs));
    job.collective(0, kMs / 10, "Broadcast");
    for (unsigned layer = 0; layer < 6; ++layer) {
      for (int32_t rank = 0; rank < 4; ++rank) job.work(rank, 2 * kMs + noise.upto(50 * kUs));
      job.collective(0);
    }
  }
  return job.judge();
}

TEST(Culprits, AccusesNobodyWhoMayHaveHadNoWorkToHandOut) {
  const Judged judged = serve_requests(4);
  EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
  const auto gap =
      std::find_if(judged.not_known.begin(), judged.not_known.end(),
                   [](const NotKnown& one) { return one.kind == NotKnownKind::LateOrNoWork; });
  ASSERT_NE(gap, judged.not_known.end());
  EXPECT_NE(sentence(*judged.run, *gap).find("or had no work to hand out is not known"),
            std::string::npos);
}

TEST(Culprits, NamesWhoIsLateForAllThatItHandsOut) {
  const Judged judged = serve_requests(1);
  EXPECT_EQ(accused(judged), std::vector<int32_t>{0}) << all_text(judged);
}

TEST(Culprits, SaysThatARankIsLateAtTheStartWhereThatCostsTwoPercent) {
  const auto late_at_start = [](uint64_t late_ns) {
    return [=](int32_t rank, unsigned i) { return rank == 1 && i < 4 ? late_ns : 0; };
  };
  const Judged costly = all_reduces(4, 60, late_at_start(20 * kMs));
  ASSERT_EQ(accused(costly), std::vector<int32_t>{1}) << all_text(costly);
  EXPECT_EQ(facts_of(costly).pattern.when, WhenLate::AtStart);
  EXPECT_NE(costly.text().find("It was late only at the start of the run, in its first "),
            std::string::npos)
      << costly.text();
  const Judged cheap = all_reduces(4, 60, late_at_start(1 * kMs));
  EXPECT_EQ(accused(cheap), std::vector<int32_t>{}) << all_text(cheap);
}

TEST(Culprits, SaysAtWhatPeriodARankIsLate) {
  const Judged judged = all_reduces(
      4, 80, [](int32_t rank, unsigned i) { return rank == 3 && i % 8 == 4 ? 20 * kMs : 0; });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{3}) << all_text(judged);
  EXPECT_EQ(facts_of(judged).pattern.when, WhenLate::Periodic);
  EXPECT_NE(judged.text().find("It was late every 60."), std::string::npos) << judged.text();
}

// A step has ten reductions of layers and one of the loss, by which steps are told.
Judged steps_of_many(const Late& late_ns) {
  PlayedJob job(4, 4);
  Noise noise;
  for (unsigned step = 0; step < 40; ++step) {
    for (unsigned layer = 0; layer < 10; ++layer) {
      for (int32_t rank = 0; rank < 4; ++rank)
        job.work(rank, 2 * kMs + noise.upto(50 * kUs) + (layer == 3 ? late_ns(rank, step) : 0));
      job.collective(0);
    }
    job.collective(0, kMs / 10, "Broadcast");
  }
  return job.judge();
}

TEST(Culprits, TakesNoTrainingStepForThePeriodOfWhoIsLateInEachOfThem) {
  const Judged judged =
      steps_of_many([](int32_t rank, unsigned) { return rank == 3 ? 8 * kMs : 0; });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{3}) << all_text(judged);
  EXPECT_EQ(facts_of(judged).pattern.when, WhenLate::Throughout) << judged.text();
}

TEST(Culprits, SaysAtWhatPeriodARankIsLateInTrainingSteps) {
  const Judged judged = steps_of_many(
      [](int32_t rank, unsigned step) { return rank == 3 && step % 8 == 4 ? 40 * kMs : 0; });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{3}) << all_text(judged);
  EXPECT_EQ(facts_of(judged).pattern.when, WhenLate::Periodic) << judged.text();
}

TEST(Culprits, SaysThatARankIsLateInBursts) {
  const Judged judged = all_reduces(4, 120, [](int32_t rank, unsigned i) {
    const bool burst = (i >= 20 && i < 30) || (i >= 80 && i < 90);
    return rank == 3 && burst ? 5 * kMs : 0;
  });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{3}) << all_text(judged);
  EXPECT_EQ(facts_of(judged).pattern.when, WhenLate::InBursts);
}

TEST(Culprits, SaysThatARankGetsSlowerAndSlower) {
  const Judged judged =
      all_reduces(4, 90, [](int32_t rank, unsigned i) { return rank == 3 ? i * 30 * kUs : 0; });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{3}) << all_text(judged);
  EXPECT_EQ(facts_of(judged).pattern.when, WhenLate::Growing);
}

// Of four ranks the worst two moments of one may be chance; the lesser ones before them are its own, too.
TEST(Culprits, NamesWhoIsLateMoreAndMoreByWhatItWasLateByBefore) {
  constexpr uint64_t kLate[] = {kMs, kMs, kMs, kMs, 3 * kMs, 4 * kMs};
  const Judged judged = all_reduces(4, 60, [&](int32_t rank, unsigned i) {
    return rank == 1 && i >= 40 && i < 46 ? kLate[i - 40] : 0;
  });
  ASSERT_EQ(accused(judged), std::vector<int32_t>{1}) << all_text(judged);
}

TEST(Culprits, AccusesNobodyOfWhatBefallsAll) {
  // Heavy noise, and a checkpoint of the whole job that takes each rank a time of its own.
  Noise noise;
  const Judged judged = all_reduces(8, 80, [&](int32_t, unsigned i) {
    return noise.upto(2 * kMs) + (i % 8 == 4 ? 60 * kMs + noise.upto(8 * kMs) : 0);
  });
  EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
}

TEST(Culprits, AccusesNobodyForWhomNobodyWaits) {
  // The sender of a reduction of two ranks goes on at once, however late the root comes.
  PlayedJob job(2, 2);
  for (unsigned i = 0; i < 50; ++i) {
    job.work(0, 4 * kMs);
    job.work(1, 4 * kMs + (i % 4 == 0 ? 2 * kMs : 0));
    job.without_waiting(0, 100 * kUs, "Reduce");
  }
  const Judged judged = job.judge();
  EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
}

TEST(Culprits, NamesATensorGroupWhoseRanksAreLateTogether) {
  // Four groups of two on one host; the ranks of one wait for each other nowhere, all others for them.
  PlayedJob job(8, 8);
  std::vector<unsigned> tensor, data;
  for (int32_t i = 0; i < 4; ++i) tensor.push_back(job.communicator({2 * i, 2 * i + 1}));
  for (int32_t i = 0; i < 2; ++i) data.push_back(job.communicator({i, i + 2, i + 4, i + 6}));
  Noise noise;
  for (unsigned i = 0; i < 40; ++i) {
    for (int32_t rank = 0; rank < 8; ++rank)
      job.work(rank, 4 * kMs + noise.upto(50 * kUs) + (rank / 2 == 1 ? 2 * kMs : 0));
    for (const unsigned comm : tensor) job.collective(comm);
    for (int32_t rank = 0; rank < 8; ++rank) job.work(rank, 1 * kMs);
    for (const unsigned comm : data) job.collective(comm);
  }
  const Judged judged = job.judge();
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  const Finding& finding = judged.findings[0];
  EXPECT_EQ(finding.culprits.size(), 2u) << all_text(judged);
  EXPECT_NE(judged.text().find("12 and 13 on a"), std::string::npos) << judged.text();
}

TEST(Culprits, AccusesNoStageOfAHealthyPipeline) {
  for (const bool one_forward_one_backward : {false, true}) {
    const Judged judged = pipeline(one_forward_one_backward, [](int32_t, unsigned) { return 0; });
    EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
  }
}

TEST(Culprits, AccusesNoStageForDoingMore) {
  for (const bool one_forward_one_backward : {false, true}) {
    const Judged judged = pipeline(
        one_forward_one_backward, [](int32_t stage, unsigned) { return stage == 2 ? 1 * kMs : 0; });
    EXPECT_EQ(accused(judged), std::vector<int32_t>{}) << all_text(judged);
  }
}

TEST(Culprits, NamesAStageThatIsLateNowAndThenAndSaysWhatItIsComparedWith) {
  for (const bool one_forward_one_backward : {false, true}) {
    const Judged judged = pipeline(one_forward_one_backward, [](int32_t stage, unsigned step) {
      return stage == 2 && step % 3 == 1 ? 2 * kMs : 0;
    });
    ASSERT_EQ(accused(judged), std::vector<int32_t>{2}) << all_text(judged);
    EXPECT_NE(judged.text().find("No other rank does the same work, so it is compared with itself"),
              std::string::npos)
        << judged.text();
  }
}

}  // namespace
}  // namespace lockstep::analysis
