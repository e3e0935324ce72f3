#include "analysis/judge/judge.h"
#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {
namespace {

// Three ranks, of which record(rank, records) says what each does.
template <class Record>
std::unique_ptr<RunTables> load_three_ranks(const Record& record) {
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    const auto pid = static_cast<uint32_t>(10 + rank);
    driver::RankRecords records(1, 0xc0, rank, 3, pid, &run.strings);
    records.init(1'000 * kMs);
    record(rank, &records);
    run.add(pid, records);
  }
  return run.load();
}

TEST(Matching, JoinsRanksByFunctionAndOrdinal) {
  const auto tables = load_three_ranks([](int32_t rank, driver::RankRecords* records) {
    for (unsigned i = 0; i < 4; ++i)
      records->operation(operation_at(i, rank == 2 && i == 2 ? 5 * kMs : 0));
  });
  ASSERT_EQ(tables->matches.size(), 4u);
  const MatchRow& late = tables->matches[2];
  EXPECT_EQ(late.arrivals, 3u);
  EXPECT_EQ(late.expected, 3u);
  EXPECT_EQ(late.last_rank, 2);
  EXPECT_NEAR(static_cast<double>(late.spread_ns), 5e6, 1e3);
  const ArrivalRow& first = tables->arrivals[late.first_arrival];
  EXPECT_NEAR(static_cast<double>(first.wait_ns), 5e6, 1e3);
  // 64 KiB in 12 - 5.01 ms, factor 2 (n - 1) / n.
  EXPECT_NEAR(first.algbw_gbs, 65536 / 6.99e6, 1e-5);
  EXPECT_NEAR(first.busbw_gbs, first.algbw_gbs * 4 / 3, 1e-9);
}

TEST(Matching, TellsCommunicatorsWithOneIdApart) {
  TestRun run;
  // Two shrinks of one parent have the same id: first ranks 0 and 1, later processes 11 and 12 as
  // ranks 0 and 1.
  driver::RankRecords a(1, 0xc0, 0, 2, 10, &run.strings), b(1, 0xc0, 1, 2, 11, &run.strings);
  driver::RankRecords b2(2, 0xc0, 0, 2, 11, &run.strings), c(1, 0xc0, 1, 2, 12, &run.strings);
  a.init(1'000 * kMs);
  b.init(1'001 * kMs);
  b2.init(1'500 * kMs);
  c.init(1'501 * kMs);
  for (driver::RankRecords* records : {&a, &b, &b2, &c}) records->operation(operation_at(0, 0));
  run.add(10, a);
  run.add(11, {&b.proxy, &b.user, &b2.proxy, &b2.user}, "test");
  run.add(12, c);

  const auto tables = run.load();
  ASSERT_EQ(tables->communicators.size(), 2u);
  EXPECT_EQ(tables->communicators[0].incarnation, 0u);
  EXPECT_EQ(tables->communicators[1].incarnation, 1u);
  EXPECT_NE(tables->communicators[0].member_digest, tables->communicators[1].member_digest);
  ASSERT_EQ(tables->matches.size(), 2u);
  EXPECT_EQ(tables->matches[0].arrivals, 2u);
  EXPECT_EQ(tables->matches[1].arrivals, 2u);
}

TEST(Matching, DoesNotCompareHostsWithoutAClockModel) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    const auto pid = static_cast<uint32_t>(10 + rank);
    driver::RankRecords records(1, 0xc0, rank, 2, pid, &run.strings);
    records.init(1'000 * kMs);
    records.operation(operation_at(0, 0));
    run.add(pid, {&records.proxy, &records.user}, rank == 0 ? "one" : "two");
  }

  const auto tables = run.load();
  EXPECT_FALSE(tables->aligned);
  ASSERT_EQ(tables->matches.size(), 1u);
  EXPECT_EQ(tables->matches[0].comparable, 0);
  EXPECT_EQ(tables->matches[0].last_rank, -1);
}

TEST(Matching, PairsSendsWithReceives) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    const auto pid = static_cast<uint32_t>(10 + rank);
    driver::RankRecords records(1, 0xc0, rank, 2, pid, &run.strings);
    records.init(1'000 * kMs);
    driver::RankOperation op = operation_at(0, 0);
    op.func = rank == 0 ? "Send" : "Recv";
    op.peer = 1 - rank;
    records.operation(op);
    run.add(pid, records);
  }

  const auto tables = run.load();
  ASSERT_EQ(tables->matches.size(), 1u);
  EXPECT_EQ(tables->text(tables->matches[0].func), "SendRecv");
  EXPECT_EQ(tables->matches[0].arrivals, 2u);
  EXPECT_EQ(tables->matches[0].expected, 2u);
}

TEST(Matching, PutsAGatherTogetherFromItsSendsAndReceives) {
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    const auto pid = static_cast<uint32_t>(10 + rank);
    driver::RankRecords records(1, 0xc0, rank, 3, pid, &run.strings);
    records.init(1'000 * kMs);
    driver::RankOperation op = operation_at(0, 0);
    op.func = rank == 0 ? "Recv" : "Send";
    op.peer = rank == 0 ? 1 : 0;
    records.operation(op);
    const EventId group = records.user[records.user.size() - 1];
    if (rank == 0) {  // the second receive of the same group call
      op.peer = 2;
      op.call_ns += 10'000;
      records.operation(op);
      for (size_t at = 0; at < records.user.size();) {
        const Tag tag = tag_of(records.user[at]);
        if (tag == start_tag(Kind::P2pApi)) records.user[at + 2] = group;
        at += kRecordShapes[tag].words;
      }
    }
    run.add(pid, records);
  }

  const auto tables = run.load();
  uint32_t gathers = 0;
  for (const MatchRow& match : tables->matches) {
    if (tables->text(match.func) != "Gather") continue;
    ++gathers;
    EXPECT_EQ(match.arrivals, 3u);
    EXPECT_EQ(match.size_bytes, 2u * 65536);
  }
  EXPECT_EQ(gathers, 1u);
  EXPECT_TRUE(judge(*tables).findings.empty());
}

TEST(Matching, OrdersWhatBeginsAtOnceByFunctionAndOrdinal) {
  const auto tables = load_three_ranks([](int32_t, driver::RankRecords* records) {
    for (const char* func : {"Broadcast", "AllReduce", "Broadcast", "AllReduce"}) {
      driver::RankOperation op = operation_at(0, 0);
      op.func = func;
      records->operation(op);
    }
  });
  ASSERT_EQ(tables->matches.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const MatchRow& match = tables->matches[i];
    EXPECT_EQ(match.func, tables->matches[i / 2 * 2].func);
    EXPECT_EQ(match.ordinal, i % 2);
    ASSERT_EQ(match.arrivals, 3u);
    for (uint32_t k = 0; k < 3; ++k)
      EXPECT_EQ(tables->arrivals[match.first_arrival + k].rank, static_cast<int32_t>(k));
  }
  EXPECT_LT(tables->matches[0].func, tables->matches[2].func);
}

TEST(Matching, FindsStepsInTheRepetition) {
  TestRun run;
  driver::RankRecords records(1, 0xc0, 0, 1, 10, &run.strings);
  records.init(1'000 * kMs);
  for (unsigned i = 0; i < 40; ++i) {  // four of one size, one of another, a pause after it
    driver::RankOperation op = operation_at(i, 0);
    op.count = i % 5 == 4 ? 64 : 16384;
    op.call_ns += i / 5 * 100 * kMs;
    op.kernel_ns = op.call_ns + 10'000;
    op.finish_ns = op.call_ns + 5 * kMs;
    records.operation(op);
  }
  run.add(10, records);

  const auto tables = run.load();
  ASSERT_EQ(tables->matches.size(), 40u);
  for (uint32_t i = 0; i < 40; ++i) EXPECT_EQ(tables->matches[i].step, i / 5) << i;
}

// Rank 0 of the world is busiest: in each step the world's call, three of its own and the world's again.
// Rank 1 calls several steps ahead of it, and between the world's two does one with a third process.
TEST(Matching, GivesWhatOthersDoAmongThemselvesTheStepOfTheirOwnCalls) {
  constexpr unsigned kSteps = 20;
  constexpr uint64_t kAheadNs = 250 * kMs, kStepNs = 100 * kMs;
  TestRun run;
  driver::RankRecords busy(1, 0xc0, 0, 2, 10, &run.strings), alone(2, 0xa0, 0, 1, 10, &run.strings);
  driver::RankRecords ahead(1, 0xc0, 1, 2, 11, &run.strings), pair(2, 0xb0, 0, 2, 11, &run.strings);
  driver::RankRecords other(1, 0xb0, 1, 2, 12, &run.strings);
  for (driver::RankRecords* records : {&busy, &alone, &ahead, &pair, &other})
    records->init(1'000 * kMs);
  unsigned calls[2] = {};
  const auto call = [&](driver::RankRecords* records, unsigned number, uint64_t at_ns,
                        uint64_t count) {
    driver::RankOperation op = operation_at(number, 0);
    op.call_ns = 2'000 * kMs + at_ns;
    op.kernel_ns = op.call_ns + 10'000;
    op.finish_ns = op.call_ns + kMs;
    op.count = count;
    records->operation(op);
  };
  for (unsigned step = 0; step < kSteps; ++step) {
    const uint64_t at_ns = kAheadNs + step * kStepNs;
    for (unsigned part = 0; part < 2; ++part) {
      call(&busy, calls[0], at_ns + part * 50 * kMs, 1024 + part);
      call(&ahead, calls[0]++, at_ns - kAheadNs + part * 10 * kMs, 1024 + part);
    }
    for (unsigned part = 0; part < 3; ++part)
      call(&alone, calls[1]++, at_ns + (part + 1) * 10 * kMs, 64);
    for (driver::RankRecords* records : {&pair, &other})
      call(records, step, at_ns - kAheadNs + 5 * kMs, 128);
  }
  run.add(10, {&busy.user, &alone.user}, "test");
  run.add(11, {&ahead.user, &pair.user}, "test");
  run.add(12, other);

  const auto tables = run.load();
  unsigned pairs = 0;
  for (const MatchRow& match : tables->matches) {
    if (tables->communicators[match.communicator].comm_id != 0xb0) continue;
    EXPECT_EQ(match.step, match.ordinal);
    ++pairs;
  }
  EXPECT_EQ(pairs, kSteps);
}

}  // namespace
}  // namespace lockstep::analysis
