// Questions about one run in SQL. Tables are those of docs/schema.md, filled when a statement first
// names them, so a question about operations never reads the network steps. Views over them:
// nccl_trace. Statements cannot reach files, the network or DuckDB's settings, and change only this
// session's copy. One thread.
#pragma once

#include <set>

#include "analysis/load/stream_process.h"
#include "analysis/sql/sql.h"

namespace lockstep::analysis {

struct QueryOptions {
  unsigned threads = 0;  // 0 = as many as the machine has
  // For looking at plans of statements about tables that stay empty: nothing follows from that.
  bool plans_only = false;
  std::string most_spilled = {};  // SqlOptions
};

class QuerySession {
 public:
  // `input` must outlive the session.
  static Result<std::unique_ptr<QuerySession>> open(const ExportInput* input,
                                                    const QueryOptions& options);
  ~QuerySession();

  // Fills the tables that the statement names; the error is about the run's files.
  Status load_for(const std::string& statement);
  // Places of the hosts' loads that the last load_for() could not read, a sentence each.
  const std::vector<std::string>& damage() const { return damage_; }
  // Of one statement, after load_for(); the error is about the statement.
  Status query(const std::string& statement, SqlRows* rows);
  Status query_within(const SqlLimits& limits, const std::string& statement, SqlRows* rows,
                      bool* truncated);

 private:
  QuerySession() = default;
  Status create_tables(bool plans_only);
  Status load_details(bool events, bool steps);
  Status load_host_load(const std::set<std::string>& tables);

  const ExportInput* input_ = nullptr;
  std::string spill_directory_;
  std::shared_ptr<SqlDatabase> database_;
  std::unique_ptr<SqlConnection> connection_;
  std::set<std::string> loaded_;
  std::vector<std::string> damage_;
};

// The words of a statement, with the tables that are behind the views among them: a table that is not
// in it takes no part in the answer.
std::set<std::string> tables_of_statement(const std::string& statement);

// The view's definition, also for engines that read the Parquet export.
extern const char* const kNcclTraceView;

}  // namespace lockstep::analysis
