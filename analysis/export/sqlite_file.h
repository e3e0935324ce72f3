// A SQLite database that an export writes: whole or not at all, as base/output_file.h has it, in one transaction without
// a journal, since nobody reads it before it has its name. Nothing of SQLite's is visible here. One thread.
#pragma once

#include <memory>
#include <string>

#include "analysis/tables/table_columns.h"
#include "base/output_file.h"

namespace lockstep::analysis {

class SqliteFile {
 public:
  static Result<std::unique_ptr<SqliteFile>> create(const std::string& path, IfExists if_exists);
  ~SqliteFile();
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  // commit() reports what fails here, the first of it.
  void execute(const std::string& statements);
  Status commit();

 private:
  friend class SqliteTable;
  struct State;
  explicit SqliteFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// A table of the database, made by its constructor.
class SqliteTable {
 public:
  // `columns`: as CREATE TABLE has them, so many.
  SqliteTable(SqliteFile* file, const std::string& name, const std::string& columns, size_t count);
  ~SqliteTable();
  SqliteTable(const SqliteTable&) = delete;
  SqliteTable& operator=(const SqliteTable&) = delete;

  template <class Row>
  static std::unique_ptr<SqliteTable> of(SqliteFile* file, const std::string& name) {
    std::string columns;
    for (const Column<Row>& column : columns_of<Row>()) {
      columns += (columns.empty() ? "\"" : ", \"") + std::string(column.name) + "\" ";
      columns += column.type == ColumnType::Varchar  ? "TEXT"
                 : column.type == ColumnType::Double ? "REAL"
                                                     : "INTEGER";
    }
    return std::make_unique<SqliteTable>(file, name, columns, columns_of<Row>().size());
  }

  template <class Row>
  void add(const RunTables& run, const Row& row) {
    const auto& columns = columns_of<Row>();
    for (size_t i = 0; i < columns.size(); ++i)
      bind(i, columns[i].type, columns[i].get(run, row, rows_));
    step();
  }
  uint64_t rows() const { return rows_; }

 private:
  void bind(size_t column, ColumnType type, const Value& value);
  void step();

  struct State;
  std::unique_ptr<State> state_;
  uint64_t rows_ = 0;
};

}  // namespace lockstep::analysis
