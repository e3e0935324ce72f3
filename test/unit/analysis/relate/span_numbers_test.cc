// The numbers of operations where a run is read from its middle: the same on all ranks.
#include "analysis/relate/span_numbers.h"

#include <set>

#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {
namespace {

constexpr unsigned kOperations = 200;

// Rank 0 sends to rank 1 every 20 ms, rank 1 calls its receive `ahead` operations earlier and waits.
// Every tenth time both call an all-reduce.
void add_pair(unsigned ahead, TestRun* run) {
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords records(1, 0xabc, rank, 2, 100 + static_cast<uint32_t>(rank),
                                &run->strings);
    records.init(1'000 * kMs);
    for (unsigned i = 0; i < kOperations; ++i) {
      driver::RankOperation op = operation_at(i, 0);
      if (rank == 1) op.call_ns -= std::min<uint64_t>(ahead * 20 * kMs, 900 * kMs);
      op.func = rank == 0 ? "Send" : "Recv";
      op.peer = 1 - rank;
      if (i % 10 == 9) {
        op = operation_at(i, 0);
        op.sequence = i / 10;
      }
      records.operation(op);
    }
    run->add(100 + static_cast<uint32_t>(rank), records);
  }
}

std::unique_ptr<RunTables> load_from(const TestRun& run, int64_t since_start_ns) {
  LoadOptions options;
  options.selection.from = dumper::Instant{dumper::Instant::Since::RunStart, since_start_ns};
  auto loaded = load_run(run.path(), options);
  EXPECT_TRUE(loaded.ok()) << loaded.message();
  return std::move(loaded.value());
}

TEST(SpanNumbers, MatchASendWithItsReceiveWhoeverIsAhead) {
  for (const unsigned ahead : {0u, 1u, 7u}) {
    TestRun run;
    add_pair(ahead, &run);
    const auto tables = load_from(run, 3'005 * static_cast<int64_t>(kMs));

    unsigned pairs = 0;
    for (const MatchRow& match : tables->matches) {
      if (match.arrivals != 2) continue;
      const OperationRow& a = tables->operations[tables->arrivals[match.first_arrival].operation];
      const OperationRow& b =
          tables->operations[tables->arrivals[match.first_arrival + 1].operation];
      EXPECT_EQ(a.finish_ns, b.finish_ns) << tables->text(a.func) << " " << a.ordinal;
      pairs += tables->text(a.func) == "AllReduce" ? 0 : 1;
    }
    EXPECT_GT(pairs, 80u) << ahead;
  }
}

TEST(SpanNumbers, KeepNcclsOwnNumbersOfCollectives) {
  TestRun run;
  add_pair(0, &run);
  const auto tables = load_from(run, 3'005 * static_cast<int64_t>(kMs));

  std::set<uint32_t> ordinals;
  for (const OperationRow& row : tables->operations) {
    if (tables->text(row.func) == "AllReduce") ordinals.insert(row.ordinal);
  }
  // Called at 2 s + 20 ms x (10 n + 9); the span begins 4.005 s after the clock's zero.
  EXPECT_EQ(*ordinals.begin(), 10u);
  EXPECT_EQ(*ordinals.rbegin(), 19u);
}

TEST(SpanNumbers, GiveTheSameCollectiveTheSamePosition) {
  TestRun run;
  for (int32_t rank = 0; rank < 3; ++rank) {
    driver::RankRecords records(1, 0xabc, rank, 3, 100 + static_cast<uint32_t>(rank), &run.strings);
    records.init(1'000 * kMs);
    for (unsigned i = 0; i < kOperations; ++i) {
      driver::RankOperation op = operation_at(i, 0);
      // Rank 2 is done with its part early: its rows of the beginning are before the span.
      if (rank == 2) op.call_ns -= 15 * kMs, op.kernel_ns -= 15 * kMs, op.finish_ns -= 15 * kMs;
      records.operation(op);
    }
    run.add(100 + static_cast<uint32_t>(rank), records);
  }
  const auto tables = load_from(run, 3'001 * static_cast<int64_t>(kMs));

  std::map<uint32_t, std::set<uint32_t>> positions;  // by ordinal
  for (const OperationRow& row : tables->operations) positions[row.ordinal].insert(row.position);
  for (const auto& [ordinal, found] : positions) EXPECT_EQ(found.size(), 1u) << ordinal;
  EXPECT_GT(positions.size(), 90u);
}

}  // namespace
}  // namespace lockstep::analysis
