#include "analysis/sql/narrow.h"

#include <gtest/gtest.h>

#include <limits>

#include "analysis/sql/duckdb_api.h"
#include "lockstep/event.h"
#include "lockstep/kind_mask.h"

namespace lockstep::analysis {
namespace {

using Ranks = std::pair<int64_t, int64_t>;
constexpr int64_t kLeast = std::numeric_limits<int64_t>::min();
constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

// Tests of what needs DuckDB's library, which may not be installed.
class Narrow : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto found = load_duckdb(); !found.ok()) GTEST_SKIP() << found.message();
  }
  static std::optional<Ranks> ranks(const std::string& condition) {
    return narrow_question("SELECT func, count(*) FROM operations WHERE " + condition +
                           " GROUP BY func")
        .ranks;
  }
};

TEST_F(Narrow, RanksAreThoseThatCanPass) {
  EXPECT_EQ(ranks("rank = 3"), Ranks(3, 3));
  EXPECT_EQ(ranks("rank BETWEEN 3 AND 5 AND size_bytes > 7"), Ranks(3, 5));
  EXPECT_EQ(ranks("rank > 2 AND 9 >= rank AND rank < 20"), Ranks(2, 9));
  EXPECT_EQ(ranks("rank IN (8, 3, 5)"), Ranks(3, 8));
  EXPECT_EQ(ranks("rank >= 4"), Ranks(4, kMost));
  EXPECT_EQ(ranks("rank < 4"), Ranks(kLeast, 4));
}

TEST_F(Narrow, EverythingIsNeededWhereNothingSaysWhichRanks) {
  EXPECT_FALSE(ranks("size_bytes = 3"));
  EXPECT_FALSE(ranks("rank = 3 OR size_bytes = 3"));
  EXPECT_FALSE(ranks("rank <> 3"));
  EXPECT_FALSE(ranks("rank % 2 = 1"));
  EXPECT_FALSE(ranks("rank = peer"));
  EXPECT_FALSE(ranks("rank = (SELECT max(rank) FROM processes)"));
  EXPECT_FALSE(ranks("no_such_column = 3"));
}

TEST_F(Narrow, ColumnsThatOtherRanksTakePartInNeedThemAll) {
  for (const char* column : {"operation", "process", "communicator", "match", "assembled",
                             "ordinal", "position", "flags", "step", "rowid", "*"}) {
    const std::string text = column;
    EXPECT_FALSE(narrow_question("SELECT " + text + " FROM operations WHERE rank = 3").ranks)
        << column;
  }
}

TEST_F(Narrow, OnlyOneTableOfEachProcessIsNarrow) {
  EXPECT_TRUE(narrow_question("SELECT kind FROM events WHERE rank = 3;").ranks);
  EXPECT_TRUE(narrow_question("SELECT peer FROM proxy_steps WHERE rank = 3 LIMIT 2").ranks);
  EXPECT_TRUE(
      narrow_question("WITH w AS (FROM operations) SELECT func FROM w WHERE rank = 3").ranks);
  for (const char* other :
       {"SELECT wait_ns FROM arrivals WHERE rank = 3", "SELECT func FROM ops WHERE rank = 3",
        "SELECT pid FROM processes WHERE rank = 3",
        "SELECT a.func FROM operations a JOIN operations b USING (event_id) WHERE a.rank = 3",
        "SELECT func FROM operations WHERE rank = 3 UNION SELECT name FROM events",
        "SELECT 1; SELECT func FROM operations WHERE rank = 3", "", "nonsense"})
    EXPECT_FALSE(narrow_question(other).ranks) << other;
}

TEST_F(Narrow, EventsNeedTheKindsThatCanPass) {
  const auto kinds = [](const std::string& condition) {
    return narrow_question("SELECT name, count(*) FROM events WHERE " + condition +
                           " GROUP BY name")
        .kinds;
  };
  EXPECT_EQ(kinds("kind = 'Coll'"), kind_bit(Kind::Coll));
  EXPECT_EQ(kinds("kind IN ('Coll', 'KernelCh')"), kind_bit(Kind::Coll) | kind_bit(Kind::KernelCh));
  EXPECT_EQ(kinds("kind = 'Coll' AND rank = 3"), kind_bit(Kind::Coll));
  for (const char* all : {"kind <> 'Coll'", "kind = 'Coll' OR rank = 3", "kind > 'Coll'",
                          "kind = name", "kind = 'no such kind'", "rank = 3"})
    EXPECT_EQ(kinds(all), ~0u) << all;
  EXPECT_EQ(narrow_question("SELECT process FROM events WHERE kind = 'Coll'").kinds, ~0u);
  EXPECT_EQ(narrow_question("SELECT func FROM operations WHERE rank = 3").kinds, ~0u);
}

TEST_F(Narrow, NetworkStepsNeedTheirOwnRecordsAndTheirNetworkOperations) {
  const uint32_t steps = kind_bit(Kind::ProxyOp) | kind_bit(Kind::ProxyStep);
  const auto narrow = narrow_question("SELECT peer, start_ns FROM proxy_steps");
  EXPECT_EQ(narrow.kinds, steps);
  EXPECT_TRUE(narrow.has_times);
  EXPECT_FALSE(narrow.ranks);
  EXPECT_EQ(narrow_question("SELECT communicator FROM proxy_steps").kinds, ~0u);
  EXPECT_EQ(narrow_question("SELECT peer FROM proxy_steps; SELECT 1").kinds, ~0u);
}

TEST_F(Narrow, EventsNeedWhatWasRecordedSinceTheyCanBegin) {
  const auto from_ns = [](const std::string& table, const std::string& condition) {
    return narrow_question("SELECT event_id FROM " + table + " WHERE " + condition).from_ns;
  };
  EXPECT_EQ(from_ns("events", "start_ns >= 1000000000007"), 1'000'000'000'007);
  EXPECT_EQ(from_ns("events", "start_ns BETWEEN 70 AND 90 AND rank = 3"), 70);
  for (const char* all :
       {"start_ns < 70", "stop_ns > 70", "start_ns > stop_ns", "start_ns > 70 OR rank = 3",
        "start_ns > (SELECT max(pid) FROM processes)"})
    EXPECT_FALSE(from_ns("events", all)) << all;
  EXPECT_FALSE(from_ns("proxy_steps", "start_ns > 70"));
}

TEST_F(Narrow, EventsNeedWhatWasRecordedUntilTheyMustHaveEnded) {
  const auto to_ns = [](const std::string& table, const std::string& condition) {
    return narrow_question("SELECT event_id FROM " + table + " WHERE " + condition).to_ns;
  };
  EXPECT_EQ(to_ns("events", "stop_ns <= 1000000000007"), 1'000'000'000'007);
  EXPECT_EQ(to_ns("events", "start_ns > 20 AND stop_ns BETWEEN 70 AND 90 AND rank = 3"), 90);
  // What began before may end later, or never.
  for (const char* all :
       {"start_ns < 70", "start_ns BETWEEN 20 AND 70", "stop_ns > 70", "stop_ns IS NULL",
        "stop_ns < 70 OR stop_ns IS NULL", "coalesce(stop_ns, 0) < 70"})
    EXPECT_FALSE(to_ns("events", all)) << all;
  EXPECT_FALSE(to_ns("proxy_steps", "stop_ns < 70"));
}

TEST_F(Narrow, TimesAndOperationsAreNamed) {
  const auto times = narrow_question("SELECT start_ns FROM events WHERE rank = 3");
  EXPECT_TRUE(times.has_times);
  EXPECT_FALSE(times.is_of_operations);
  const auto sizes = narrow_question("SELECT size_bytes FROM operations WHERE rank = 3");
  EXPECT_FALSE(sizes.has_times);
  EXPECT_TRUE(sizes.is_of_operations);
}

TEST_F(Narrow, SamplesOfTheHostsAreNeededWhereATableOfTheirsIsNamed) {
  EXPECT_FALSE(narrow_question("SELECT func FROM operations").host_load);
  EXPECT_FALSE(narrow_question("SELECT 'thread_load' FROM ops; SELECT 1").host_load);
  EXPECT_TRUE(narrow_question("SELECT 1; SELECT count(*) FROM Thread_Load").host_load);
  EXPECT_TRUE(narrow_question("SELECT * FROM nic_counters").host_load);
  EXPECT_TRUE(narrow_question("").host_load);  // a shell, whose questions come later
}

}  // namespace
}  // namespace lockstep::analysis
