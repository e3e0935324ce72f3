#include "analysis/relate/bandwidth.h"

#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {
namespace {

struct Part {
  uint64_t late_ns = 0, ends_late_ns = 0;
  bool ends = true;
};

// One operation of 64 KiB, called at 0 and ended at 12 ms but for what `parts` say of each rank; it is ready
// 10 us after its call.
std::unique_ptr<RunTables> run_of(const std::string& func, const std::vector<Part>& parts,
                                  const std::vector<std::string>& hosts = {}) {
  TestRun run;
  for (uint32_t rank = 0; rank < parts.size(); ++rank) {
    const auto ranks = static_cast<int32_t>(parts.size());
    driver::RankRecords records(1, 0xc0, static_cast<int32_t>(rank), ranks, 10 + rank,
                                &run.strings);
    records.init(1'000 * kMs);
    driver::RankOperation op = operation_at(0, parts[rank].late_ns);
    op.func = func;
    op.peer = 1 - static_cast<int32_t>(rank);
    op.finish_ns += parts[rank].ends_late_ns;
    if (!parts[rank].ends) op.finish_ns = 0;
    records.operation(op);
    run.add(10 + rank, {&records.proxy, &records.user}, hosts.empty() ? "one" : hosts[rank]);
  }
  return run.load();
}

void expect_each(const RunTables& run, double algbw_gbs, double busbw_gbs) {
  ASSERT_FALSE(run.arrivals.empty());
  for (const ArrivalRow& arrival : run.arrivals) {
    EXPECT_NEAR(arrival.algbw_gbs, algbw_gbs, algbw_gbs * 1e-3) << arrival.rank;
    EXPECT_NEAR(arrival.busbw_gbs, busbw_gbs, busbw_gbs * 1e-3) << arrival.rank;
  }
}

constexpr double kSize = 65536;

TEST(Bandwidth, OfAnAllReduceIsFromTheLastArrivalToTheLastEndOnEachRank) {
  const auto run = run_of("AllReduce", {{}, {0, 2 * kMs}, {5 * kMs}});
  const double algbw = kSize / (14e6 - 5.01e6);
  expect_each(*run, algbw, algbw * 4 / 3);
}

TEST(Bandwidth, OfARootedOperationIsFromTheFirstArrival) {
  const auto run = run_of("Reduce", {{}, {0, 2 * kMs}, {5 * kMs}});
  expect_each(*run, kSize / (14e6 - 0.01e6), kSize / (14e6 - 0.01e6));
}

TEST(Bandwidth, OfTwoRanksIsFromTheFirstArrival) {
  const auto run = run_of("AllReduce", {{5 * kMs}, {}});
  expect_each(*run, kSize / (12e6 - 0.01e6), kSize / (12e6 - 0.01e6));
}

// Two ranks send and receive, each what the other does not; that is one operation.
TEST(Bandwidth, OfASendIsFromTheFirstArrival) {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    const auto pid = static_cast<uint32_t>(10 + rank);
    driver::RankRecords records(1, 0xc0, rank, 2, pid, &run.strings);
    records.init(1'000 * kMs);
    driver::RankOperation op = operation_at(0, rank == 0 ? 0 : 4 * kMs);
    op.func = rank == 0 ? "Send" : "Recv";
    op.peer = 1 - rank;
    if (rank == 0)
      op.finish_ns = op.kernel_ns + 1'000;  // into a buffer, long before it is received
    records.operation(op);
    run.add(pid, records);
  }
  expect_each(*run.load(), kSize / (12e6 - 0.01e6), kSize / (12e6 - 0.01e6));
}

TEST(Bandwidth, IsNotKnownWhereAnEndIsNot) {
  const auto run = run_of("AllReduce", {{}, {}, {0, 0, false}});
  expect_each(*run, 0, 0);
}

TEST(Bandwidth, IsNotKnownWhereClocksCannotBeCompared) {
  const auto run = run_of("AllReduce", {{}, {}, {}}, {"one", "one", "two"});
  expect_each(*run, 0, 0);
}

}  // namespace
}  // namespace lockstep::analysis
