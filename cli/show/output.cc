#include "cli/show/output.h"

#include <algorithm>
#include <cstdio>

#include "cli/commands.h"

namespace lockstep::cli {
namespace {

// Characters, not bytes, of UTF-8 text.
size_t width(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0u) != 0x80u;
  }));
}

}  // namespace

std::string Table::text() const {
  std::vector<size_t> widths;
  for (const Column& column : columns_) widths.push_back(width(column.title));
  for (const auto& row : rows_) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string out;
  auto add_line = [&](auto cell) {
    std::string line;
    for (size_t i = 0; i < columns_.size(); ++i) {
      const std::string& value = cell(i);
      const std::string padding(widths[i] - width(value), ' ');
      if (i > 0) line += "  ";
      line += columns_[i].align == Align::Left ? value + padding : padding + value;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  };
  add_line([&](size_t i) -> const std::string& { return columns_[i].title; });
  for (const auto& row : rows_) add_line([&](size_t i) -> const std::string& { return row[i]; });
  return out;
}

void print(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stdout); }

void print_json(std::string_view json) {
  print(json);
  print("\n");
}

void complain(std::string_view sentence) {
  std::fprintf(stderr, "lockstep: %.*s\n", static_cast<int>(sentence.size()), sentence.data());
}

int bad_input(std::string_view sentence) {
  complain(sentence);
  return kBadInput;
}

int bad_usage(std::string_view sentence) {
  complain(sentence);
  return kUsage;
}

}  // namespace lockstep::cli
