#include "cli/live/node_table.h"

#include "analysis/say/words.h"
#include "base/json.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

std::string count_of(const json::Value& row, const char* name) {
  const auto number = known_uint(row, name);
  return number ? std::to_string(*number) : "-";
}

std::string lag_in_words(const json::Value& row) {
  const auto ns = known_int(row, "lag_ns");
  return ns ? analysis::duration(*ns) : "-";
}

std::string bytes_in_words(const json::Value& row) {
  const auto bytes = known_uint(row, "bytes_written");
  return bytes ? analysis::bytes(*bytes) : "-";
}

}  // namespace

std::string nodes_json(std::string_view text, const ClockGrades& clocks) {
  json::Document rows;
  parse_json_list(text, &rows);
  JsonFields out;
  out.writer().StartArray();
  for (const json::Value& row : rows.GetArray()) {
    if (!row.IsObject()) continue;
    out.object([&] {
      for (const auto& one : row.GetObject()) {
        put_key(&out.writer(), text_of(one.name));
        one.value.Accept(out.writer());
      }
      const auto grade = clocks.find(text_member(row, "host"));
      put_key(&out.writer(), "clock");
      if (grade == clocks.end()) {
        out.writer().Null();
      } else {
        out.element(grade->second);
      }
    });
  }
  out.writer().EndArray();
  return std::string(out.text());
}

std::string node_table(std::string_view text, const ClockGrades& clocks) {
  json::Document rows;
  parse_json_list(text, &rows);
  Table table({{"host"},
               {"agent", Align::Right},
               {"version"},
               {"processes", Align::Right},
               {"clock"},
               {"records", Align::Right},
               {"bytes", Align::Right},
               {"lag", Align::Right},
               {"lost", Align::Right}});
  for (const json::Value& row : rows.GetArray()) {
    if (!row.IsObject()) continue;
    const auto grade = clocks.find(text_member(row, "host"));
    table.add({text_member(row, "host"), count_of(row, "agent_pid"), text_member(row, "version"),
               count_of(row, "processes"), grade == clocks.end() ? "-" : grade->second,
               count_of(row, "records_written"), bytes_in_words(row), lag_in_words(row),
               count_of(row, "calls_not_recorded")});
  }
  return table.text();
}

}  // namespace lockstep::cli
