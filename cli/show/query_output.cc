#include "cli/show/query_output.h"

#include "base/csv_field.h"
#include "base/json.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

using analysis::SqlCell;
using analysis::SqlColumn;
using analysis::SqlKind;

class TableOutput : public QueryOutput {
 public:
  void columns(const std::vector<SqlColumn>& columns) override {
    std::vector<Column> titles;
    for (const SqlColumn& column : columns)
      titles.push_back({column.name, column.kind == SqlKind::Number ? Align::Right : Align::Left});
    table_ = std::make_unique<Table>(titles);
  }
  void row(const std::vector<SqlCell>& cells) override {
    std::vector<std::string> texts;
    for (const SqlCell& cell : cells) texts.push_back(cell.known ? std::string(cell.text) : "NULL");
    table_->add(std::move(texts));
  }
  void finish() override {
    if (table_ != nullptr) print(table_->text());
  }

 private:
  std::unique_ptr<Table> table_;
};

class JsonOutput : public QueryOutput, JsonFields {
 public:
  // Null: to stdout.
  explicit JsonOutput(std::string* into) : into_(into) {}
  void columns(const std::vector<SqlColumn>& columns) override {
    columns_ = columns;
    first_ = true;
    if (into_ != nullptr) into_->clear();
    put("[");
  }
  void row(const std::vector<SqlCell>& cells) override {
    reset();
    object([&] {
      for (size_t i = 0; i < cells.size(); ++i) value(columns_[i], cells[i]);
    });
    put(first_ ? "" : ",\n ");
    put(text());
    first_ = false;
  }
  void finish() override { put(into_ == nullptr ? "]\n" : "]"); }

 private:
  void put(std::string_view bytes) {
    if (into_ == nullptr)
      print(bytes);
    else
      *into_ += bytes;
  }
  void value(const SqlColumn& column, const SqlCell& cell) {
    // JSON has no numbers for nan and inf.
    const bool finite = cell.text.find_first_of("nN") == std::string_view::npos;
    if (!cell.known || (column.kind == SqlKind::Number && !finite)) {
      raw(column.name, "null");
    } else if (column.kind == SqlKind::String) {
      string(column.name, cell.text);
    } else {
      raw(column.name, cell.text);
    }
  }
  std::string* into_;
  std::vector<SqlColumn> columns_;
  bool first_ = true;
};

class CsvOutput : public QueryOutput {
 public:
  void columns(const std::vector<SqlColumn>& columns) override {
    for (size_t i = 0; i < columns.size(); ++i) field(i, columns[i].name);
    print(line_ + "\n");
  }
  void row(const std::vector<SqlCell>& cells) override {
    for (size_t i = 0; i < cells.size(); ++i) field(i, cells[i].known ? cells[i].text : "");
    print(line_ + "\n");
  }
  void finish() override {}

 private:
  void field(size_t i, std::string_view text) {
    if (i == 0) line_.clear();
    if (i != 0) line_ += ',';
    line_ += csv_field(text);
  }
  std::string line_;
};

}  // namespace

std::unique_ptr<QueryOutput> make_query_output(QueryFormat format) {
  if (format == QueryFormat::Json) return std::make_unique<JsonOutput>(nullptr);
  if (format == QueryFormat::Csv) return std::make_unique<CsvOutput>();
  return std::make_unique<TableOutput>();
}

std::unique_ptr<QueryOutput> make_json_output(std::string* rows) {
  return std::make_unique<JsonOutput>(rows);
}

}  // namespace lockstep::cli
