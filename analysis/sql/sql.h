// DuckDB as one small class: a database in memory, connections to it, statements with rows as text.
// Used by query_session.h (questions) and export_parquet.cc. Nothing of DuckDB's is visible here. A
// SqlConnection belongs to one thread; connections of one database may be used in parallel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/tables/table_columns.h"
#include "lockstep/status.h"

namespace lockstep::analysis {

enum class SqlKind { Number, Boolean, String };  // how JSON writes it
struct SqlColumn {
  std::string name;
  SqlKind kind = SqlKind::String;
};
struct SqlCell {
  bool known = false;  // false = NULL
  std::string_view text;
};
// Called once before the rows, then once per row; cells are valid during the call.
class SqlRows {
 public:
  virtual ~SqlRows() = default;
  virtual void columns(const std::vector<SqlColumn>& columns) = 0;
  virtual void row(const std::vector<SqlCell>& cells) = 0;
};

struct SqlOptions {
  unsigned threads = 0;           // 0 = as many as the machine has
  std::string spill_directory;    // for what does not fit in memory; empty = nowhere
  std::string most_spilled = {};  // as DuckDB writes sizes; empty: as much as the disk has
};

// Of a statement by somebody who may read and no more.
struct SqlLimits {
  uint64_t rows = 0;
  int64_t patience_ms = 0;  // then it is stopped
};

class SqlDatabase {
 public:
  static Result<std::shared_ptr<SqlDatabase>> open(const SqlOptions& options);
  ~SqlDatabase();
  SqlDatabase(const SqlDatabase&) = delete;
  SqlDatabase& operator=(const SqlDatabase&) = delete;

 private:
  friend class SqlConnection;
  struct State;
  explicit SqlDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class SqlConnection {
 public:
  static Result<std::unique_ptr<SqlConnection>> open(std::shared_ptr<SqlDatabase> database);
  ~SqlConnection();
  SqlConnection(const SqlConnection&) = delete;
  SqlConnection& operator=(const SqlConnection&) = delete;

  // Statements of ours, without a result.
  Status execute(const std::string& statements);
  // One statement of a user's.
  Status query(const std::string& statement, SqlRows* rows);
  // The same, of one that only selects; no more than limits.rows rows come, *truncated says whether
  // there are more.
  Status query_within(const SqlLimits& limits, const std::string& statement, SqlRows* rows,
                      bool* truncated);

 private:
  friend class SqlAppender;
  SqlConnection() = default;
  Result<std::string> as_texts(const std::string& statement, std::vector<SqlColumn>* columns);
  Status fetch(const std::string& statement, const std::vector<SqlColumn>* columns, SqlRows* rows);
  struct State;
  std::unique_ptr<State> state_;
};

// Rows into a table that exists, in blocks; what fails is told by close().
class SqlAppender {
 public:
  SqlAppender(SqlConnection* connection, const std::string& table,
              const std::vector<ColumnType>& types);
  ~SqlAppender();
  SqlAppender(const SqlAppender&) = delete;
  SqlAppender& operator=(const SqlAppender&) = delete;

  // `number` is the row's number in its table.
  template <class Row>
  void add(const RunTables& run, const Row& row, uint64_t number) {
    const auto& columns = columns_of<Row>();
    for (size_t i = 0; i < columns.size(); ++i) set(i, columns[i].get(run, row, number));
    ++rows_;
    if (++filled_ == capacity_) flush();
  }
  uint64_t rows() const { return rows_; }
  Status close();

 private:
  void set(size_t column, const Value& value);
  void flush();
  struct State;
  std::unique_ptr<State> state_;
  uint64_t rows_ = 0, filled_ = 0, capacity_ = 1;
};

// `CREATE TABLE name (...)` with the columns of Row.
template <class Row>
std::string create_table_statement(const std::string& name) {
  std::string text = "CREATE TABLE " + name + " (";
  const char* separator = "";
  for (const auto& column : columns_of<Row>()) {
    text += separator;
    text += std::string("\"") + column.name + "\" " +
            kColumnTypeNames[static_cast<size_t>(column.type)];
    separator = ", ";
  }
  return text + ")";
}
template <class Row>
std::vector<ColumnType> column_types() {
  std::vector<ColumnType> types;
  for (const auto& column : columns_of<Row>()) types.push_back(column.type);
  return types;
}

}  // namespace lockstep::analysis
