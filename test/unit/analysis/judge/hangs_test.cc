// Hangs of jobs with several communicators: who is accused, who is not, and what is said to follow.
#include "analysis/judge/hangs.h"

#include <algorithm>
#include <memory>

#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

// Four ranks in two tensor-parallel pairs (0, 1), (2, 3), whose partners reduce gradients in the pairs
// (0, 2), (1, 3); a step is one operation on each. All operations of a rank share a stream.
class TwoByTwo {
 public:
  TwoByTwo() {
    for (int32_t rank = 0; rank < 4; ++rank) {
      const auto pid = static_cast<uint32_t>(10 + rank);
      world_.emplace_back(1, 0xc0, rank, 4, pid, &run_.strings);
      tensor_.emplace_back(2, 0xa0 + rank / 2, rank % 2, 2, pid, &run_.strings);
      data_.emplace_back(3, 0xb0 + rank % 2, rank / 2, 2, pid, &run_.strings);
      for (driver::RankRecords* one : {&world_.back(), &tensor_.back(), &data_.back()})
        one->init(1'000 * kMs);
    }
  }

  void steps(unsigned count) {
    for (; step_ < count; ++step_) {
      for (int32_t rank = 0; rank < 4; ++rank) {
        tensor(rank, operation_at(2 * step_, 0));
        data(rank, operation_at(2 * step_ + 1, 0));
      }
    }
  }
  void tensor(int32_t rank, driver::RankOperation op) {
    op.sequence = step_;
    tensor_[static_cast<size_t>(rank)].operation(op);
  }
  void data(int32_t rank, driver::RankOperation op) {
    op.sequence = step_;
    op.func = "AllGather";
    data_[static_cast<size_t>(rank)].operation(op);
  }

  std::unique_ptr<RunTables> load() {
    for (size_t rank = 0; rank < 4; ++rank) {
      run_.add(static_cast<uint32_t>(10 + rank),
               {&world_[rank].user, &tensor_[rank].user, &tensor_[rank].proxy, &data_[rank].user,
                &data_[rank].proxy},
               "test");
    }
    return run_.load();
  }

 private:
  TestRun run_;
  std::vector<driver::RankRecords> world_, tensor_, data_;
  unsigned step_ = 0;
};

constexpr unsigned kSteps = 10;
driver::RankOperation tensor_open() { return open_at(2 * kSteps); }
driver::RankOperation data_open() { return open_at(2 * kSteps + 1); }

// Ranks 2 and 3 end the tensor operation of the next step and wait for the others in the data operation.
void replica_waits_in_data(TwoByTwo* job) {
  for (const int32_t rank : {2, 3}) {
    job->tensor(rank, operation_at(2 * kSteps, 0));
    job->data(rank, data_open());
  }
}

TEST(Hangs, OfARankThatStopsWhileOthersRunAheadAccuseItAlone) {
  TwoByTwo job;
  job.steps(kSteps);
  job.tensor(1, tensor_open());
  job.data(1, queued(data_open()));
  replica_waits_in_data(&job);

  const Judged judged(job.load());
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::MissingRank);
  EXPECT_EQ(world_ranks(judged), Ranks{0});
  EXPECT_EQ(judged.findings[0].func, judged.run->strings.find("AllReduce"));
  EXPECT_EQ(judged.findings[0].consequences.size(), 2u) << judged.text();
}

TEST(Hangs, OfAGpuThatStandsStillAccuseNobodyWhoseKernelIsQueued) {
  TwoByTwo job;
  job.steps(kSteps);
  for (const int32_t rank : {0, 1}) {
    job.tensor(rank, rank == 0 ? queued(tensor_open()) : tensor_open());
    job.data(rank, queued(data_open()));
  }
  replica_waits_in_data(&job);

  const Judged judged(job.load());
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::StuckOnGpu);
  EXPECT_EQ(world_ranks(judged), Ranks{0});
  EXPECT_EQ(judged.findings[0].consequences.size(), 2u) << judged.text();
}

TEST(Hangs, OfTwoRanksThatStopIndependentlyAreTwoFindings) {
  TwoByTwo job;
  job.steps(kSteps);
  for (const int32_t rank : {1, 3}) {
    job.tensor(rank, tensor_open());
    job.data(rank, queued(data_open()));
  }

  const Judged judged(job.load());
  ASSERT_EQ(judged.findings.size(), 2u) << all_text(judged);
  EXPECT_EQ(world_ranks(judged, 0), Ranks{0});
  EXPECT_EQ(world_ranks(judged, 1), Ranks{2});
}

// Ranks of one communicator: rank r calls `calls[r]` operations, the last of them open unless `ended`.
Judged judged_calls(const std::vector<unsigned>& calls, unsigned ended,
                    void (*change)(RunTables*) = nullptr) {
  TestRun run;
  const auto ranks = static_cast<int32_t>(calls.size());
  for (int32_t rank = 0; rank < ranks; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, ranks);
    for (unsigned i = 0; i < calls[static_cast<size_t>(rank)]; ++i)
      records.operation(i < ended ? operation_at(i, 0) : open_at(i));
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  auto tables = run.load();
  if (change != nullptr) change(tables.get());
  return Judged(std::move(tables));
}

bool is_behind(const Judged& judged, int32_t rank) {
  return std::any_of(judged.not_known.begin(), judged.not_known.end(), [&](const NotKnown& gap) {
    return gap.kind == NotKnownKind::RecordingBehind && gap.ranks == Ranks{rank};
  });
}

TEST(Hangs, DoNotAccuseARankWhoseRecordingEndsBeforeTheOthers) {
  // Rank 1 never comes to #12; the recording of rank 2 ends at #9, though #11 needed it.
  const Judged judged = judged_calls({13, 12, 10, 13}, 12);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{1});
  EXPECT_TRUE(is_behind(judged, 2)) << all_text(judged);
}

TEST(Hangs, AccuseNobodyWhereOnlyARecordingEndsBeforeTheOthers) {
  const Judged judged = judged_calls({13, 13, 10, 13}, 12);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{});
  EXPECT_NE(judged.text().find("the recording of rank 2 ends before"), std::string::npos)
      << judged.text();
  EXPECT_TRUE(is_behind(judged, 2)) << all_text(judged);
}

TEST(Hangs, NameAProcessThatIsStoppedByASignal) {
  const Judged judged = judged_calls({13, 13, 12}, 12, [](RunTables* run) {
    for (ProcessRow& process : run->processes) process.life = Life::Running;
    run->processes[2].life = Life::Stopped;
  });
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{2});
  EXPECT_NE(judged.text().find("rank 2 is stopped by a signal"), std::string::npos)
      << judged.text();
}

// The others ended #11, in which the frozen rank still stood, and wait for it in #12.
TEST(Hangs, NameAProcessThatFrozeLongBeforeAllWereKilled) {
  const Judged judged = judged_calls({13, 13, 12}, 11, [](RunTables* run) {
    for (ProcessRow& process : run->processes) {
      process.life = Life::Dead;
      process.recovered = 1;
    }
    for (OperationRow& row : run->operations) {
      if (row.position == 11 && row.rank != 2) row.state = OpState::Done;
    }
    run->processes[2].heard_ns = run->processes[2].last_ns;
  });
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{2});
  EXPECT_EQ(judged.findings[0].ordinal, 12u);
  EXPECT_EQ(judged.findings[0].ranks, (Ranks{0, 1}));
}

TEST(Hangs, AccuseNobodyOfWhomNothingWasRecorded) {
  const Judged judged = judged_without_rank_2();
  ASSERT_EQ(judged.findings.size(), 1u);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{});
  EXPECT_NE(judged.text().find("nothing is known of rank 2"), std::string::npos) << judged.text();
}

// Two ranks that disagree: the steps before tell which of them is right.
TEST(Hangs, OfAPairThatPassesTwoSizesAccuseTheUnusualOne) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 2);
    for (unsigned i = 0; i < kOperations; ++i) {
      driver::RankOperation op = i + 1 == kOperations ? open_at(i) : operation_at(i, 0);
      op.count = i % 2 == 0 ? 4096 : 1024;
      if (rank == 0 && i + 1 == kOperations) op.count = 512;
      records.operation(op);
    }
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  const Judged judged(run.load());
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::Mismatch);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{0});
}

TEST(Hangs, OfAPairWithoutAnyHistoryAccuseOneOfTheTwo) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 2);
    driver::RankOperation op = open_at(0);
    op.count = rank == 0 ? 512 : 1024;
    records.operation(op);
    run.add(static_cast<uint32_t>(10 + rank), records);
  }

  const Judged judged(run.load());
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, (Ranks{0, 1}));
  EXPECT_NE(judged.text().find("Which of them is right is not known"), std::string::npos)
      << judged.text();
}

// Ranks 2 and 3 are all of host "far", and only one of them is awaited.
// Ranks 0 and 1 on one host, 2 and 3 on another, in one communicator; 1 and 2 have a pair of their own,
// in which 1 waits for 2.
std::unique_ptr<RunTables> two_hosts() {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords world = rank_of(&run, 1, 0xc0, rank, 4);
    driver::RankRecords pair(2, 0xd0, rank - 1, 2, static_cast<uint32_t>(10 + rank), &run.strings);
    if (rank == 1 || rank == 2) {
      pair.init(1'000 * kMs);
      for (unsigned i = 0; i < kOperations; ++i) pair.operation(operation_at(i, 0));
      if (rank == 1) pair.operation(open_at(kOperations));
    }
    run.add(static_cast<uint32_t>(10 + rank), {&world.user, &pair.user, &pair.proxy},
            rank < 2 ? "near" : "far");
  }
  return run.load();
}

TEST(Hangs, OfAHostWhoseProcessesAreGoneAccuseAllOfThem) {
  auto tables = two_hosts();
  for (ProcessRow& process : tables->processes) {
    if (tables->text(process.host) == "far") process.life = Life::Dead;
  }

  const Judged judged(std::move(tables));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::DeadProcess);
  EXPECT_EQ(world_ranks(judged), (Ranks{2, 3}));
}

TEST(Hangs, OfAHostThatWentSilentAsAWholeAccuseAllOfItsRanks) {
  auto tables = two_hosts();
  for (ProcessRow& process : tables->processes) {
    const bool far = tables->text(process.host) == "far";
    process.life = far ? Life::Unknown : Life::Dead;
    process.recovered = far ? 0 : 1;
    process.aligned = 1;
    process.heard_ns = far ? 3'000 * kMs : 13'000 * kMs;
  }

  const Judged judged(std::move(tables));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::DeadProcess);
  EXPECT_EQ(world_ranks(judged), (Ranks{2, 3}));
  EXPECT_NE(judged.text().find("died or was frozen"), std::string::npos) << judged.text();
}

// All were killed in the end, and nothing connects the hosts' clocks.
TEST(Hangs, OfAHostThatDiedWhileAnotherStoodStillLongAccuseAllOfItsRanksWhateverTheClocks) {
  for (const int64_t far_quiet_ns : {100 * kMs, 9'000 * kMs}) {
    auto tables = two_hosts();
    for (ProcessRow& process : tables->processes) {
      const bool far = tables->text(process.host) == "far";
      process.life = Life::Dead;
      process.recovered = 1;
      process.heard_ns = process.last_ns + (far ? far_quiet_ns : 10'000 * kMs);
    }
    const Judged judged(std::move(tables));
    const bool died = judged.findings.size() == 1 &&
                      judged.findings[0].kind == FindingKind::DeadProcess &&
                      world_ranks(judged) == Ranks{2, 3};
    EXPECT_EQ(died, far_quiet_ns < 1'000 * kMs) << all_text(judged);
  }
}

// Four pairs of ranks. Rank 5 leaves its loop for the barrier at the end; nobody but its peer is known to wait.
TEST(Hangs, ByCallsAloneAccuseWhoAloneCameToWhatMostDidNotAndIsMissingElsewhere) {
  TestRun run;
  for (int32_t rank = 0; rank < 8; ++rank) {
    driver::RankRecords world = rank_of(&run, 1, 0xc0, rank, 8);
    driver::RankRecords pair(2, 0xd0 + static_cast<uint64_t>(rank / 2), rank % 2, 2,
                             static_cast<uint32_t>(10 + rank), &run.strings);
    pair.init(1'100 * kMs);
    for (unsigned i = 0; i < kOperations; ++i) pair.call_only(operation_at(i, 0));
    if (rank == 4) pair.call_only(operation_at(kOperations, 0));
    if (rank == 5) world.call_only(operation_at(kOperations, 0));
    run.add(static_cast<uint32_t>(10 + rank), {&world.user, &pair.user}, "test");
  }
  auto tables = run.load();
  for (ProcessRow& process : tables->processes) process.heard_ns = process.last_ns + 60'000 * kMs;
  const Judged judged(std::move(tables));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::MissingRank);
  EXPECT_EQ(world_ranks(judged), Ranks{5});
}

TEST(Hangs, WalkToTheOriginOnAnotherCommunicator) {
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

  const Judged judged(run.load());
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].ranks, Ranks{0});
  EXPECT_EQ(judged.findings[0].culprits, Ranks{1});
  EXPECT_NE(judged.text().find("0xd0"), std::string::npos) << judged.text();
  ASSERT_EQ(judged.findings[0].consequences.size(), 1u);
  EXPECT_EQ(clause(*judged.run, judged.findings[0].consequences[0]),
            "rank 0 waits in AllReduce #20 on world (0xc0) for rank 1");
}

// Three ranks stand in an operation and give it up, rank 1 first: so long after it began, and so long
// before the others.
Judged given_up(uint64_t after_ns, uint64_t before_ns) {
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 3);
    for (unsigned i = 0; i < kOperations; ++i) records.operation(operation_at(i, 0));
    const driver::RankOperation open = open_at(kOperations);
    records.operation(open);
    records.finalize(open.call_ns + after_ns + (rank == 1 ? 0 : before_ns));
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  return Judged(run.load());
}

TEST(Hangs, AccuseWhoGivesUpWhileTheOthersGoOnWaiting) {
  const Judged judged = given_up(500 * kMs, 60'000 * kMs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::Aborted);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{1});
}

TEST(Hangs, AccuseNobodyWhoseWatchdogBarksFirst) {
  const Judged judged = given_up(60'000 * kMs, 1'200 * kMs);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_NE(judged.findings[0].kind, FindingKind::Aborted) << judged.text();
  EXPECT_EQ(judged.findings[0].culprits, Ranks{}) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
