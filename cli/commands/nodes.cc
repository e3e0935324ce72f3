// `lockstep nodes RUN`: the hosts of a running job: who answers for each, its clock, what it loses.
#include <map>
#include <memory>
#include <string>

#include "analysis/clock/align.h"
#include "analysis/say/words.h"
#include "base/json.h"
#include "cli/live/live_arguments.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

// By host, from what the hosts' probers wrote so far; empty where the run directory is not here.
std::map<std::string, std::string> clock_grades(const std::string& run) {
  std::map<std::string, std::string> grades;
  if (run.empty()) return grades;
  analysis::AlignOptions options;
  options.probes_only = true;
  const auto aligned = analysis::align_run(run, options);
  if (!aligned.ok()) return grades;
  for (const analysis::HostView& host : aligned.value().hosts)
    grades[host.host] = analysis::kGradeNames[static_cast<size_t>(host.graded.grade)];
  return grades;
}

std::string number_in(const json::Value& row, const char* name) {
  const auto number = known_uint(row, name);
  return number ? std::to_string(*number) : "-";
}

std::string lag_of(const json::Value& row) {
  const auto ns = known_int(row, "lag_ns");
  return ns ? analysis::duration(*ns) : "-";
}

std::string bytes_of(const json::Value& row) {
  const auto bytes = known_uint(row, "bytes_written");
  return bytes ? analysis::bytes(*bytes) : "-";
}

// The rows with `clock` in each.
std::string with_clocks(const json::Document& rows,
                        const std::map<std::string, std::string>& clocks) {
  JsonFields out;
  out.writer().StartArray();
  for (const json::Value& row : rows.GetArray()) {
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

std::string table_of(const json::Document& rows, const std::map<std::string, std::string>& clocks) {
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
    const auto grade = clocks.find(text_member(row, "host"));
    table.add({text_member(row, "host"), number_in(row, "agent_pid"), text_member(row, "version"),
               number_in(row, "processes"), grade == clocks.end() ? "-" : grade->second,
               number_in(row, "records_written"), bytes_of(row), lag_of(row),
               number_in(row, "calls_not_recorded")});
  }
  return table.text();
}

int run(const LiveArguments& arguments) {
  const Result<live::Answers> answers = ask_live(arguments, "node", "{}");
  if (!answers.ok()) return bad_input(answers.message());
  const Result<std::string> directory = live_run(arguments);
  const auto clocks = clock_grades(directory.ok() ? directory.value() : "");
  json::Document rows;
  parse_json_list(all_rows(answers.value()), &rows);
  return print_live(arguments, answers.value(), "nodes", with_clocks(rows, clocks),
                    table_of(rows, clocks));
}

}  // namespace

void add_nodes(base::Command& lockstep) {
  add_live_command(lockstep, "nodes",
                   "List the hosts of a running job: who answers for each, its clock, its losses",
                   std::make_shared<LiveArguments>(), run);
}

}  // namespace lockstep::cli
