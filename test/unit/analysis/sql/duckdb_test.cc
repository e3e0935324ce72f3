#include <gtest/gtest.h>

#include "analysis/sql/duckdb_api.h"
#include "analysis/sql/query_session.h"
#include "test/unit/analysis/export/sample_run.h"
#include "test/unit/temp_dir.h"

namespace lockstep::analysis {
namespace {

// Tests of what needs DuckDB's library, which may not be installed.
class DuckDb : public testing::Test {
 protected:
  void SetUp() override {
    const auto found = load_duckdb();
    if (!found.ok()) GTEST_SKIP() << found.message();
    run_ = sample_run();
    input_ = {run_.get(), [this](uint32_t process, DetailSink* sink) {
                ++streamed_;
                return sample_details(process, sink);
              }};
  }

  std::string ask(QuerySession* session, const std::string& statement) {
    struct Last : SqlRows {
      void columns(const std::vector<SqlColumn>&) override {}
      void row(const std::vector<SqlCell>& cells) override {
        text.clear();
        for (const SqlCell& cell : cells) {
          if (!text.empty()) text += " ";
          text += cell.known ? std::string(cell.text) : "NULL";
        }
      }
      std::string text;
    } last;
    EXPECT_TRUE(session->load_for(statement).ok());
    const Status done = session->query(statement, &last);
    EXPECT_TRUE(done.ok()) << done.message();
    return last.text;
  }

  std::unique_ptr<RunTables> run_;
  ExportInput input_;
  unsigned streamed_ = 0;
};

TEST_F(DuckDb, HoldsEveryRowAndLeavesTheUnknownNull) {
  auto session = QuerySession::open(&input_, {});
  ASSERT_TRUE(session.ok()) << session.message();
  QuerySession* sql = session.value().get();
  EXPECT_EQ(ask(sql,
                "SELECT count(*), count(finish_ns), count(match), min(event_id) > 0 FROM "
                "operations"),
            "7 6 6 true");
  EXPECT_EQ(ask(sql, "SELECT comm_id, name FROM communicators"), "18364758544493064720 world");
  EXPECT_EQ(ask(sql, "SELECT last_rank, step, cause FROM matches WHERE match = 2"), "1 2 none");
  EXPECT_EQ(ask(sql, "SELECT host, error_ns FROM clock LIMIT 1"), "node1 1500");
  EXPECT_EQ(ask(sql, "SELECT DISTINCT last_state, peer_wait_ns FROM proxy_steps"),
            "ProxyOpSendPosted NULL");
}

TEST_F(DuckDb, ReadsTheDetailsOnlyWhenAStatementNamesThem) {
  auto session = QuerySession::open(&input_, {});
  ASSERT_TRUE(session.ok()) << session.message();
  QuerySession* sql = session.value().get();
  ask(sql, "SELECT count(*) FROM operations WHERE func <> 'events'");
  EXPECT_EQ(streamed_, 0u);
  EXPECT_EQ(ask(sql, "SELECT count(*) FROM events"), "10");
  EXPECT_EQ(streamed_, 2u);
  ask(sql, "SELECT count(*) FROM Events");
  EXPECT_EQ(streamed_, 2u) << "they were read twice";
}

TEST_F(DuckDb, GivesOperationsWithoutNetworkStepsARowOfNcclTraceToo) {
  auto session = QuerySession::open(&input_, {});
  ASSERT_TRUE(session.ok()) << session.message();
  QuerySession* sql = session.value().get();
  EXPECT_EQ(ask(sql,
                "SELECT count(*), sum(bytes_transferred) FROM nccl_trace WHERE operation = "
                "'AllReduce'"),
            "6 98304");  // two ranks sent 2 * 8192 bytes each; four operations of 16384 bytes
  EXPECT_EQ(ask(sql,
                "SELECT src_rank, dst_rank, duration_ms FROM nccl_trace WHERE operation = "
                "'Send'"),
            "1 0 0.045");
}

TEST_F(DuckDb, RefusesFilesAndSettings) {
  auto session = QuerySession::open(&input_, {});
  ASSERT_TRUE(session.ok()) << session.message();
  struct Nothing : SqlRows {
    void columns(const std::vector<SqlColumn>&) override {}
    void row(const std::vector<SqlCell>&) override {}
  } nothing;
  for (const char* statement : {"SELECT * FROM read_text('/etc/hostname')", "SET threads = 1",
                                "LOAD '/tmp/x.duckdb_extension'", "SELECT frob"})
    EXPECT_FALSE(session.value()->query(statement, &nothing).ok()) << statement;
}

TEST_F(DuckDb, PartitionsParquetByHostWhateverTheHostIsCalled) {
  const TempDir dir;
  ExportOptions options;
  options.output = dir / "out";
  ExportSummary summary;

  const Status status = export_parquet(input_, options, &summary);

  ASSERT_TRUE(status.ok()) << status.message();
  for (const char* file :
       {"operations/host=node%220/part-0.parquet", "operations/host=node1/part-0.parquet",
        "proxy_steps/host=node1/part-0.parquet", "matches/part-0.parquet"})
    EXPECT_TRUE(std::filesystem::exists(dir / ("out/" + std::string(file)))) << file;
  for (const ExportCount& count : summary.written) {
    if (count.what == "operations") {
      EXPECT_EQ(count.count, kSampleOperations);
    }
    if (count.what == "events") {
      EXPECT_EQ(count.count, 10u);
    }
  }
}

TEST_F(DuckDb, LeavesNoParquetBehindWhenAProcessCannotBeRead) {
  const TempDir dir;
  ExportOptions options;
  options.output = dir / "out";
  ExportSummary summary;
  input_.stream = [](uint32_t, DetailSink*) { return Status::error("node1.lks is gone"); };

  const Status status = export_parquet(input_, options, &summary);

  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(), "node1.lks is gone");
  EXPECT_EQ(dir.entries(), 0u);
}

}  // namespace
}  // namespace lockstep::analysis
