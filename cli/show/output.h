// What all commands print alike: tables for people, one line per problem. JSON is written by each
// command with RapidJSON and printed by print_json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lockstep::cli {

enum class Align { Left, Right };

struct Column {
  std::string title;
  Align align = Align::Left;
};

// Columns as wide as their widest cell; two spaces between, none at a line's end.
class Table {
 public:
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  // One cell for each column.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// To stdout.
void print(std::string_view text);
void print_json(std::string_view json);  // and a newline

// `lockstep: SENTENCE` on stderr.
void complain(std::string_view sentence);
int bad_input(std::string_view sentence);  // complains and gives exit code 3
int bad_usage(std::string_view sentence);  // complains and gives exit code 2

}  // namespace lockstep::cli
