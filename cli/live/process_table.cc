#include "cli/live/process_table.h"

#include <cstdio>
#include <map>
#include <vector>

#include "base/json.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

std::string number_in(const json::Value& row, const char* name) {
  const json::Value* value = member(row, name);
  return value != nullptr && value->IsUint64() ? std::to_string(value->GetUint64()) : "-";
}

// Percent of one core.
std::string overhead_of(const json::Value& row) {
  const json::Value* overhead = member(row, "overhead");
  const uint64_t elapsed = overhead != nullptr ? uint_member(*overhead, "elapsed_ns") : 0;
  if (elapsed == 0) return "-";
  const auto spent = static_cast<double>(uint_member(*overhead, "callbacks_ns") +
                                         uint_member(*overhead, "threads_ns"));
  char text[32];
  std::snprintf(text, sizeof text, "%.2f %%", 100 * spent / static_cast<double>(elapsed));
  return text;
}

json::Document parsed(const std::string& rows) {
  json::Document document;
  document.Parse<json::kParseIterativeFlag>(rows.data(), rows.size());
  if (document.HasParseError() || !document.IsArray()) document.SetArray();
  return document;
}

Table new_table(bool with_host) {
  std::vector<Column> columns;
  if (with_host) columns.push_back({"host"});
  for (const char* title : {"pid", "program", "state", "communicators", "written", "lost"})
    columns.push_back({title, title == std::string("program") || title == std::string("state")
                                  ? Align::Left
                                  : Align::Right});
  columns.push_back({"overhead", Align::Right});
  return Table(columns);
}

void add_row(const json::Value& row, bool with_host, Table* table) {
  std::vector<std::string> cells;
  if (with_host) cells.push_back(text_member(row, "host"));
  cells.insert(cells.end(),
               {number_in(row, "pid"), text_member(row, "program"), text_member(row, "state"),
                number_in(row, "communicators_begun"), number_in(row, "records_written"),
                number_in(row, "calls_not_recorded"), overhead_of(row)});
  table->add(std::move(cells));
}

std::string indented(const std::string& text, const char* by) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    out += by + text.substr(at, end - at) + "\n";
    at = end == std::string::npos ? text.size() : end + 1;
  }
  return out;
}

}  // namespace

std::string process_table(const std::string& rows) {
  const json::Document document = parsed(rows);
  if (document.Empty()) return "No process records now.\n";
  Table table = new_table(true);
  for (const json::Value& row : document.GetArray()) add_row(row, true, &table);
  return table.text();
}

std::string process_tree(const std::string& rows) {
  const json::Document document = parsed(rows);
  if (document.Empty()) return "No process records now.\n";
  std::map<std::string, std::map<std::string, std::vector<const json::Value*>>> runs;
  for (const json::Value& row : document.GetArray())
    runs[text_member(row, "run_directory")][text_member(row, "host")].push_back(&row);
  std::string text;
  for (const auto& [run, hosts] : runs) {
    text += run + "\n";
    for (const auto& [host, processes] : hosts) {
      Table table = new_table(false);
      for (const json::Value* row : processes) add_row(*row, false, &table);
      text += "  " + host + "\n" + indented(table.text(), "    ");
    }
  }
  return text;
}

}  // namespace lockstep::cli
