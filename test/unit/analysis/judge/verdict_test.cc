// Deadlocks: ranks that wait for each other in a circle, and who of them broke it.
#include "analysis/judge/verdict.h"

#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

TEST(Circles, OfTwoOrdersAreADeadlockThatNamesBothOperations) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords one = rank_of(&run, 1, 0xc0, rank, 2),
                        two = rank_of(&run, 2, 0xd0, rank, 2);
    for (unsigned i = 0; i < kOperations; ++i) {
      driver::RankOperation op = operation_at(i, 0);
      op.sequence = i / 2;
      (i % 2 == 0 ? one : two).operation(op);
    }
    driver::RankOperation head = open_at(kOperations), later = open_at(kOperations + 1);
    head.sequence = later.sequence = kOperations / 2;
    later.channels = 0;
    (rank == 0 ? one : two).operation(head);
    (rank == 0 ? two : one).operation(later);
    run.add(static_cast<uint32_t>(10 + rank), {&one.user, &one.proxy, &two.user, &two.proxy},
            "test");
  }

  const Judged judged(run.load());
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  const Finding& finding = judged.findings[0];
  EXPECT_EQ(finding.kind, FindingKind::Deadlock);
  EXPECT_EQ(finding.culprits, Ranks{1}) << "it alone left the order of the steps before";
  EXPECT_EQ(std::get<StallFacts>(finding.facts).inside_circle.size(), 2u) << "both stand in it";
  EXPECT_NE(judged.text().find("0xc0"), std::string::npos) << judged.text();
  EXPECT_NE(judged.text().find("0xd0"), std::string::npos) << judged.text();
}

// Four ranks call on three communicators of all, a, b and c, `steps` telling for each step in what order. In the last step
// rank r begins with `last[r]`, which stands still; what another begins with is called behind it.
Judged orders(const std::vector<std::string>& steps, const std::string& last) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    std::vector<driver::RankRecords> comms;
    for (const uint32_t comm : {1u, 2u, 3u})
      comms.push_back(rank_of(&run, comm, 0xb0 + 0x10 * comm, rank, 4));
    unsigned i = 0;
    uint64_t calls[3] = {};
    const auto call = [&](char on, driver::RankOperation op) {
      op.sequence = calls[on - 'a']++;
      comms[static_cast<size_t>(on - 'a')].operation(op);
      ++i;
    };
    for (const std::string& step : steps) {
      for (const char on : step) call(on, operation_at(i, 0));
    }
    const char first = last[static_cast<size_t>(rank)];
    call(first, open_at(i));
    call(last[last.find_first_not_of(first)], queued(open_at(i)));
    std::vector<const std::vector<uint64_t>*> threads;
    for (const driver::RankRecords& one : comms)
      threads.insert(threads.end(), {&one.user, &one.proxy});
    run.add(static_cast<uint32_t>(10 + rank), threads, "test");
  }
  return Judged(run.load());
}

TEST(Circles, AccuseWhoDidWhatItDoesOnlyNowAndThen) {
  const std::string step = std::string(17, 'a') + "b", barrier = "b";
  const std::vector<std::string> steps = {step, step, step + barrier, step, step, step, step};
  const Judged more = orders(steps, "aaba");
  ASSERT_EQ(more.findings.size(), 1u) << all_text(more);
  EXPECT_EQ(more.findings[0].kind, FindingKind::Deadlock);
  EXPECT_EQ(more.findings[0].culprits, Ranks{2});
  EXPECT_LE(more.findings[0].confidence, 0.8);
  EXPECT_EQ(orders(steps, "bbab").findings[0].culprits, Ranks{2}) << "it left the barrier out";
}

// Nobody called either before: three ranks come to a checkpoint, and the fourth to something else.
TEST(Circles, AccuseWhoAloneIsWhereNobodyElseCame) {
  const Judged judged = orders(std::vector<std::string>(6, std::string(17, 'a')), "bbcb");
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{2}) << judged.text();
  EXPECT_LE(judged.findings[0].confidence, 0.8);
}

TEST(Circles, AccuseNobodyWhereAllKeepTheirOrder) {
  const std::string one = std::string(17, 'a') + "b", other = "b" + std::string(17, 'a');
  const std::vector<std::string> steps = {one, one, other, one, other, other, one};
  const Judged judged = orders(steps, "aabb");
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::Deadlock);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{}) << judged.text();
  EXPECT_LE(judged.findings[0].confidence, 0.5);
  EXPECT_NE(judged.text().find("is not known"), std::string::npos) << judged.text();
}

// Four ranks, each on a stream: an all-to-all of sends whose sizes differ from step to step, then an
// all-reduce. Both are open in the last step, where rank `stray` calls the all-reduce alone.
Judged all_to_alls(int32_t stray) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords all = rank_of(&run, 1, 0xc0, rank, 4),
                        experts = rank_of(&run, 2, 0xd0, rank, 4);
    for (unsigned i = 0; i <= kOperations; ++i) {
      const bool last = i == kOperations;
      driver::RankOperation op = last ? open_at(2 * i) : operation_at(2 * i, 0);
      op.count = 1'000 + i * 7'919 % 10'000;
      op.channels = last && rank == stray ? 0 : 1;
      for (int32_t step = 0; step < 4 && !(last && rank == stray); ++step) {
        op.func = "Send";
        op.peer = (rank + step) % 4;
        if (step != 0) experts.operation(op);
        op.func = "Recv";
        op.peer = (rank + 4 - step) % 4;
        if (step != 0) experts.operation(op);
      }
      driver::RankOperation reduce = last ? open_at(2 * i + 1) : operation_at(2 * i + 1, 0);
      reduce.sequence = i;
      all.operation(last && rank != stray ? queued(reduce) : reduce);
    }
    run.add(static_cast<uint32_t>(10 + rank),
            {&all.user, &all.proxy, &experts.user, &experts.proxy}, "test");
  }
  auto tables = run.load();
  for (OperationRow& row : tables->operations) {
    if (row.kind != OpKind::PointToPoint) continue;
    row.group_id = 1'000 + row.ordinal;
    row.proxy_ops_open = 0;  // what could move has moved
  }
  return Judged(std::move(tables));
}

TEST(Circles, OfAnAllToAllAccuseWhoCalledTheNextOperationInItsPlace) {
  const Judged judged = all_to_alls(2);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::Deadlock);
  EXPECT_EQ(world_ranks(judged), Ranks{2}) << judged.text();
}

// Four ranks exchange data in one group call. Its kernel, of which NCCL tells with the first transfer only, runs on three of
// them and never began on the fourth.
TEST(Circles, AreNoneInOneGroupCallWhoseKernelHasNotBegunOnOneRank) {
  TestRun run;
  for (int32_t rank = 0; rank < 4; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 4);
    for (unsigned i = 0; i <= kOperations; ++i) {
      const bool last = i == kOperations;
      driver::RankOperation op = last ? open_at(i) : operation_at(i, 0);
      op.channels = last && rank == 2 ? 0 : 1;
      for (int32_t step = 1; step < 4; ++step) {
        op.func = "Send";
        op.peer = (rank + step) % 4;
        records.operation(op);
        if (last) op.channels = 0;
        op.func = "Recv";
        op.peer = (rank + 4 - step) % 4;
        records.operation(op);
      }
    }
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  auto tables = run.load();
  for (OperationRow& row : tables->operations) {
    if (row.kind != OpKind::PointToPoint) continue;
    row.group_id = 1'000 + row.ordinal;
    row.proxy_ops = row.proxy_ops_open = 0;
  }
  const Judged judged(std::move(tables));
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].kind, FindingKind::StuckOnGpu) << judged.text();
  EXPECT_EQ(world_ranks(judged), Ranks{2}) << judged.text();
}

// Ranks call a on one communicator, `layers` times, then b on another, on a stream each. Of a step
// long ago rank 1 left one call of `what` out, and goes on until it stands in a call that is another's next.
Judged left_out_long_before(char what, unsigned layers, int32_t ranks = 4) {
  constexpr unsigned kAll = 12, kWithout = 7;
  TestRun run;
  for (int32_t rank = 0; rank < ranks; ++rank) {
    driver::RankRecords a = rank_of(&run, 1, 0xc0, rank, ranks),
                        b = rank_of(&run, 2, 0xd0, rank, ranks);
    unsigned i = 0;
    uint64_t calls[2] = {};
    const auto call = [&](char on, bool open) {
      driver::RankOperation op = open ? open_at(i) : operation_at(i, 0);
      op.sequence = calls[on - 'a']++;
      (on == 'a' ? a : b).operation(op);
      ++i;
    };
    const bool strayed = rank == 1;
    for (unsigned step = 0; step < kAll; ++step) {
      const bool last = step + 1 == kAll, without = strayed && step == kWithout;
      for (unsigned k = without && what == 'a' ? 1 : 0; k < layers; ++k)
        call('a', last && what == 'a' && !strayed && k + 1 == layers);
      if (last && what == 'a' && !strayed) continue;
      if (!without || what == 'a') call('b', last && strayed == (what == 'a'));
    }
    if (strayed && what == 'b') call('a', true);
    run.add(static_cast<uint32_t>(10 + rank), {&a.user, &a.proxy, &b.user, &b.proxy}, "test");
  }
  return Judged(run.load());
}

TEST(Circles, AccuseWhoLeftACallOutLongBefore) {
  const Judged judged = left_out_long_before('b', 5);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{1}) << judged.text();
  EXPECT_EQ(left_out_long_before('b', 5, 2).findings[0].culprits, Ranks{1}) << "one of two";
}

// What comes before it is as at other places: only their number tells.
TEST(Circles, AccuseWhoLeftOneOfManyCallsInARowOutLongBefore) {
  const Judged judged = left_out_long_before('a', 24);
  ASSERT_EQ(judged.findings.size(), 1u) << all_text(judged);
  EXPECT_EQ(judged.findings[0].culprits, Ranks{1}) << judged.text();
}

}  // namespace
}  // namespace lockstep::analysis
