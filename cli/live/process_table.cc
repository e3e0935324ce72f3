#include "cli/live/process_table.h"

#include <cstdio>
#include <map>
#include <optional>
#include <vector>

#include "analysis/say/words.h"
#include "base/json.h"
#include "cli/live/cells.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

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

// What `progress` says of the process: its place in its largest communicator, and the operation that
// it has been in longest.
struct Standing {
  std::string rank = "-", doing = "-", since = "-";
};

Standing standing_of(const json::Value& row) {
  Standing standing;
  const json::Value* progress = member(row, "progress");
  if (progress == nullptr) return standing;
  uint64_t most = 0;
  int64_t longest_ns = -1;
  for (const json::Value& comm : elements_of(*progress, "communicators")) {
    const uint64_t ranks = uint_member(comm, "ranks");
    if (ranks > most) {
      standing.rank = std::to_string(uint_member(comm, "rank")) + "/" + std::to_string(ranks);
      most = ranks;
    }
    const json::Value* waiting = member(comm, "waiting");
    const auto age_ns = waiting == nullptr ? std::nullopt : known_int(*waiting, "age_ns");
    if (!age_ns || *age_ns <= longest_ns) continue;
    longest_ns = *age_ns;
    standing.doing = text_member(*waiting, "func");
    if (const auto ordinal = known_uint(*waiting, "ordinal"))
      standing.doing += " #" + std::to_string(*ordinal);
    const std::string name = text_member(comm, "name");
    if (!name.empty()) standing.doing += " on " + name;
    standing.since = analysis::duration(longest_ns);
  }
  return standing;
}

Table new_table(bool with_host) {
  std::vector<Column> columns;
  if (with_host) columns.push_back({"host"});
  columns.insert(columns.end(), {{"pid", Align::Right},
                                 {"program"},
                                 {"rank", Align::Right},
                                 {"state"},
                                 {"in flight"},
                                 {"for", Align::Right},
                                 {"comms", Align::Right},
                                 {"records", Align::Right},
                                 {"bytes", Align::Right},
                                 {"memory", Align::Right},
                                 {"at most", Align::Right},
                                 {"lag", Align::Right},
                                 {"lost", Align::Right},
                                 {"overhead", Align::Right}});
  return Table(columns);
}

void add_row(const json::Value& row, bool with_host, Table* table) {
  std::vector<std::string> cells;
  if (with_host) cells.push_back(text_member(row, "host"));
  const Standing standing = standing_of(row);
  const json::Value* memory = member(row, "memory");
  const auto number = [&](const char* name) { return number_cell(known_uint(row, name)); };
  const auto in_memory = [&](const char* name) {
    return bytes_cell(memory == nullptr ? std::nullopt : known_uint(*memory, name));
  };
  cells.insert(
      cells.end(),
      {number("pid"), text_member(row, "program"), standing.rank, text_member(row, "state"),
       standing.doing, standing.since, number("communicators_begun"), number("records_written"),
       bytes_cell(known_uint(row, "bytes_written")), in_memory("in_use_bytes"),
       in_memory("high_water_bytes"), duration_cell(known_int(row, "lag_ns")),
       number("calls_not_recorded"), overhead_of(row)});
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
  json::Document document;
  parse_json_list(rows, &document);
  if (document.Empty()) return "No process records now.\n";
  Table table = new_table(true);
  for (const json::Value& row : document.GetArray()) add_row(row, true, &table);
  return table.text();
}

std::string process_tree(const std::string& rows) {
  json::Document document;
  parse_json_list(rows, &document);
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
