// Brief operations give what operations in full give, as far as they tell it.
#include "analysis/relate/relate.h"

#include <gtest/gtest.h>

#include "test/unit/analysis/run_directory.h"

namespace lockstep::analysis {
namespace {

// Three ranks, of which one is late and then never comes.
void record(TestRun* run) {
  for (unsigned rank = 0; rank < 3; ++rank) {
    driver::RankRecords records(1, 0xc0, static_cast<int32_t>(rank), 3, 10 + rank, &run->strings);
    records.init(1'000 * kMs);
    for (unsigned i = 0; i < 20; ++i) {
      driver::RankOperation op = operation_at(i, rank == 2 ? i * 100'000 : 0);
      if (i == 19) op.finish_ns = 0;
      if (i != 19 || rank != 2) records.operation(op);
    }
    run->add(10 + rank, records);
  }
}

std::unique_ptr<RunTables> load(const TestRun& run, bool brief) {
  LoadOptions options;
  options.brief = brief;
  auto tables = load_run(run.path(), options);
  EXPECT_TRUE(tables.ok()) << tables.message();
  return std::move(tables.value());
}

void expect_same(const BriefOperation& a, const BriefOperation& b) {
  EXPECT_EQ(a.event_id, b.event_id);
  EXPECT_EQ(a.called_ns(), b.called_ns());
  EXPECT_EQ(a.kernel_start_ns, b.kernel_start_ns);
  EXPECT_EQ(a.kernel_seen_ns, b.kernel_seen_ns);
  EXPECT_EQ(a.finish_ns, b.finish_ns);
  EXPECT_EQ(a.last_progress_ns, b.last_progress_ns);
  EXPECT_EQ(a.process, b.process);
  EXPECT_EQ(a.communicator, b.communicator);
  EXPECT_EQ(a.ordinal, b.ordinal);
  EXPECT_EQ(a.rank, b.rank);
  EXPECT_EQ(a.state, b.state);
}

TEST(RelatedBriefOperations, AreThoseInFullWithTheSameArrivals) {
  TestRun run;
  record(&run);
  const auto full = load(run, false), brief = load(run, true);
  ASSERT_EQ(full->operations.size(), 59u);
  EXPECT_TRUE(brief->operations.empty());
  ASSERT_EQ(brief->brief.size(), full->operations.size());
  for (size_t i = 0; i < brief->brief.size(); ++i) {
    expect_same(brief->brief[i], full->operations[i]);
    EXPECT_EQ(brief->text(brief->brief[i].func), "AllReduce");
  }
  EXPECT_TRUE(brief->arrivals.empty());
  ASSERT_EQ(brief->brief_arrivals.size(), full->arrivals.size());
  int64_t waited_ns = 0;
  for (size_t i = 0; i < full->arrivals.size(); ++i) {
    const BriefArrival &a = brief->brief_arrivals[i], &b = full->arrivals[i];
    EXPECT_EQ(a.operation, b.operation);
    EXPECT_EQ(a.process, b.process);
    EXPECT_EQ(a.process, brief->brief[a.operation].process);
    EXPECT_EQ(a.rank, b.rank);
    EXPECT_EQ(a.arrival_ns, b.arrival_ns);
    EXPECT_EQ(a.wait_ns, b.wait_ns);
    EXPECT_EQ(a.last_rank_row, b.last_rank_row);
    waited_ns += a.wait_ns;
  }
  EXPECT_GT(waited_ns, 0);
  ASSERT_EQ(brief->matches.size(), 20u);
  EXPECT_EQ(brief->matches.back().arrivals, 2u);
  EXPECT_EQ(brief->members.size(), full->members.size());
  EXPECT_EQ(brief->processes[0].last_ns, full->processes[0].last_ns);
}

std::unique_ptr<LoadedProcess> process_of(uint32_t pid, size_t operations) {
  auto process = std::make_unique<LoadedProcess>();
  process->row.pid = pid;
  process->joined.rows.resize(operations);
  for (OperationRow& row : process->joined.rows) row.tid = pid;
  process->joined.channel_ends.resize(1);
  process->joined.channel_ends[0].operation = static_cast<uint32_t>(operations - 1);
  return process;
}

// How many processes there will be is a guess, and so is what each has.
TEST(Relate, TakesProcessesOneByOneHoweverManyCome) {
  for (const size_t guess : {0u, 1u, 3u, 100u}) {
    Relating<OperationRow> relating;
    for (uint32_t pid = 0; pid < 5; ++pid) relating.add(process_of(pid, 1 + pid * pid), guess);
    const auto run = relating.finish("");
    ASSERT_EQ(run->processes.size(), 5u);
    ASSERT_EQ(run->operations.size(), 35u);
    for (const OperationRow& row : run->operations)
      EXPECT_EQ(row.tid, run->processes[row.process].pid);
    ASSERT_EQ(run->channel_ends.size(), 5u);
    for (uint32_t pid = 0; pid < 5; ++pid)
      EXPECT_EQ(run->operations[run->channel_ends[pid].operation].process, pid);
  }
}

std::unique_ptr<RunTables> brief_run(size_t operations, RunTables* over) {
  auto process = std::make_unique<LoadedProcess>();
  process->row.pid = 1;
  process->joined.comms.resize(1);
  process->joined.comms[0].nranks = 1;
  process->joined.brief.resize(operations);
  for (size_t i = 0; i < operations; ++i) {
    process->joined.brief[i].communicator = 0;
    process->joined.brief[i].ordinal = static_cast<uint32_t>(i);
  }
  Relating<BriefOperation> relating(over);
  relating.add(std::move(process), 1);
  return relating.finish("");
}

TEST(Relate, HasOnlyRowsOfItsOwnInMemoryOfTablesThatAreOver) {
  const auto before = brief_run(40, nullptr);
  const BriefOperation* const rows = before->brief.data();
  const BriefArrival* const arrivals = before->brief_arrivals.data();
  const auto after = brief_run(30, before.get()), alone = brief_run(30, nullptr);

  EXPECT_EQ(after->brief.data(), rows);
  EXPECT_EQ(after->brief_arrivals.data(), arrivals);
  ASSERT_EQ(after->brief.size(), 30u);
  ASSERT_EQ(after->brief_arrivals.size(), alone->brief_arrivals.size());
  EXPECT_EQ(after->brief_arrivals.size(), 30u);
  for (size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(after->brief[i].ordinal, alone->brief[i].ordinal);
    EXPECT_EQ(after->brief_arrivals[i].operation, alone->brief_arrivals[i].operation);
  }
  EXPECT_TRUE(before->brief.empty());
}

}  // namespace
}  // namespace lockstep::analysis
