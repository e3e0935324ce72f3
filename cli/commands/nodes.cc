// `lockstep nodes RUN`: the hosts of a running job: who answers for each, its clock, what it loses.
#include <memory>
#include <string>

#include "analysis/clock/align.h"
#include "cli/live/live_arguments.h"
#include "cli/live/node_table.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

// By host, from what the hosts' probers wrote so far; empty where the run directory is not here.
ClockGrades clock_grades(const std::string& run) {
  ClockGrades grades;
  if (run.empty()) return grades;
  analysis::AlignOptions options;
  options.probes_only = true;
  const auto aligned = analysis::align_run(run, options);
  if (!aligned.ok()) return grades;
  for (const analysis::HostView& host : aligned.value().hosts)
    grades[host.host] = analysis::kGradeNames[static_cast<size_t>(host.graded.grade)];
  return grades;
}

int run(const LiveArguments& arguments) {
  const Result<live::Answers> answers = ask_live(arguments, "node", "{}");
  if (!answers.ok()) return bad_input(answers.message());
  const Result<std::string> directory = live_run(arguments);
  const auto clocks = clock_grades(directory.ok() ? directory.value() : "");
  const NodeList nodes = node_list(all_rows(answers.value()), clocks);
  return print_live(arguments, answers.value(), "nodes", nodes.json, nodes.table);
}

}  // namespace

void add_nodes(base::Command& lockstep) {
  add_live_command(lockstep, "nodes",
                   "List the hosts of a running job: who answers for each, its clock, its losses",
                   std::make_shared<LiveArguments>(), run);
}

}  // namespace lockstep::cli
