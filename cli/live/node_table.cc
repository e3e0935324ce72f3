#include "cli/live/node_table.h"

#include "base/json.h"
#include "cli/live/cells.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

// The row with its clock; null where that is not known.
void put_row(const json::Value& row, const std::string* clock, JsonFields* out) {
  out->object([&] {
    for (const auto& one : row.GetObject()) {
      put_key(&out->writer(), text_of(one.name));
      one.value.Accept(out->writer());
    }
    if (clock == nullptr)
      out->raw("clock", "null");
    else
      out->string("clock", *clock);
  });
}

std::vector<std::string> cells_of(const json::Value& row, const std::string* clock) {
  const auto number = [&](const char* name) { return number_cell(known_uint(row, name)); };
  return {text_member(row, "host"),
          number("agent_pid"),
          text_member(row, "version"),
          number("processes"),
          clock == nullptr ? "-" : *clock,
          number("records_written"),
          bytes_cell(known_uint(row, "bytes_written")),
          duration_cell(known_int(row, "lag_ns")),
          number("calls_not_recorded")};
}

}  // namespace

NodeList node_list(std::string_view rows, const ClockGrades& clocks) {
  json::Document document;
  parse_json_list(rows, &document);
  JsonFields out;
  Table table({{"host"},
               {"agent", Align::Right},
               {"version"},
               {"processes", Align::Right},
               {"clock"},
               {"records", Align::Right},
               {"bytes", Align::Right},
               {"lag", Align::Right},
               {"lost", Align::Right}});
  out.writer().StartArray();
  for (const json::Value& row : document.GetArray()) {
    if (!row.IsObject()) continue;
    const auto grade = clocks.find(text_member(row, "host"));
    const std::string* clock = grade == clocks.end() ? nullptr : &grade->second;
    put_row(row, clock, &out);
    table.add(cells_of(row, clock));
  }
  out.writer().EndArray();
  return {std::string(out.text()), table.text()};
}

}  // namespace lockstep::cli
