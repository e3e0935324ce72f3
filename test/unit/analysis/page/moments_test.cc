// Which operations a page without a server shows one by one: those with the longest waits, within a budget.
#include "analysis/page/moments.h"

#include <gtest/gtest.h>

#include "base/json.h"
#include "test/unit/analysis/judge/judged.h"

namespace lockstep::analysis {
namespace {

// Two ranks; rank 1 comes i ms late to operation i.
std::unique_ptr<RunTables> growing_run() {
  TestRun run;
  for (int32_t rank = 0; rank < 2; ++rank) {
    driver::RankRecords records = rank_of(&run, 1, 0xc0, rank, 2);
    for (unsigned i = 0; i < kOperations; ++i)
      records.operation(operation_at(i, rank == 1 ? i * static_cast<uint64_t>(kMs) / 10 : 0));
    run.add(static_cast<uint32_t>(10 + rank), records);
  }
  return run.load();
}

json::Document moments_of(const RunTables& run, size_t budget_bytes) {
  json::Document document;
  EXPECT_TRUE(parse_json(slowest_moments(run, RunTime(run), budget_bytes), &document));
  return document;
}

size_t column(const json::Document& document, const std::string& name) {
  const std::vector<std::string> names = texts_member(document, "columns");
  return static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

TEST(Moments, AreAllOperationsWhereTheyFit) {
  const auto run = growing_run();
  const json::Document all = moments_of(*run, 1 << 20);
  EXPECT_FALSE(all["truncated"].GetBool());
  EXPECT_EQ(all["rows"].Size(), run->arrivals.size());
}

TEST(Moments, AreThoseWithTheLongestWaitsWhereTheyDoNot) {
  const auto run = growing_run();
  const json::Document some = moments_of(*run, 1000);
  EXPECT_TRUE(some["truncated"].GetBool());
  ASSERT_GT(some["rows"].Size(), 0u);
  ASSERT_LT(some["rows"].Size(), run->arrivals.size());
  int64_t shortest_ns = std::numeric_limits<int64_t>::max();
  for (const json::Value& row : some["rows"].GetArray()) {
    const auto at = static_cast<json::SizeType>(column(some, "wait_ns"));
    if (row[at].IsInt64() && row[at].GetInt64() > 0)
      shortest_ns = std::min(shortest_ns, row[at].GetInt64());
  }
  size_t longer = 0;
  for (const ArrivalRow& row : run->arrivals) longer += row.wait_ns > shortest_ns;
  EXPECT_LT(longer, some["rows"].Size());
}

TEST(Moments, StandInTheOrderOfTimeSinceTheFirstRecord) {
  const auto run = growing_run();
  const json::Document all = moments_of(*run, 1 << 20);
  const auto at = static_cast<json::SizeType>(column(all, "ordinal"));
  const auto start = static_cast<json::SizeType>(column(all, "start_ns"));
  int64_t before = 0;
  for (const json::Value& row : all["rows"].GetArray()) {
    EXPECT_GE(row[at].GetInt64(), before);
    EXPECT_GE(row[start].GetInt64(), 0);
    before = row[at].GetInt64();
  }
}

TEST(Moments, NameWhoTheOthersWaitedFor) {
  const auto run = growing_run();
  const json::Document all = moments_of(*run, 1 << 20);
  const json::Value& rows = all["rows"];
  const json::Value& row = rows[rows.Size() - 1];
  EXPECT_EQ(row[static_cast<json::SizeType>(column(all, "last_rank"))].GetInt(), 1);
}

}  // namespace
}  // namespace lockstep::analysis
