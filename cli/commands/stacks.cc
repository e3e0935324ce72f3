// `lockstep stacks RUN|PID`: where every rank of a running job stands, by its stacks.
#include <memory>
#include <string>
#include <vector>

#include "analysis/report/kept_findings.h"
#include "base/json.h"
#include "base/number_ranges.h"
#include "base/text.h"
#include "cli/live/live_arguments.h"
#include "cli/live/stacks_formats.h"
#include "cli/live/stacks_view.h"
#include "cli/show/output.h"
#include "live/follow/stacks_tree.h"
#include "live/places/stack_tree.h"
#include "live/questions/stacks_answer.h"

namespace lockstep::cli {
namespace {

struct StacksArguments : LiveArguments {
  std::string ranks, threads;
  int samples = 3;
  bool folded = false, speedscope = false;
};

std::string question_of(const StacksArguments& arguments) {
  JsonFields out;
  out.object([&] {
    if (!arguments.ranks.empty()) out.string("ranks", arguments.ranks);
    if (!arguments.threads.empty()) out.string("threads", arguments.threads);
    out.number("samples", arguments.samples);
  });
  return std::string(out.text());
}

// One process of this host, in the form of an answer.
live::Answers ask_process_here(pid_t pid, const StacksArguments& arguments) {
  live::StackOptions options;
  options.samples = static_cast<unsigned>(arguments.samples);
  options.threads = *live::thread_choice_of(arguments.threads);
  const live::StackRow row = live::stacks_of(pid, options);
  live::Answers answers;
  answers.hosts_asked = answers.hosts_answered = 1;
  if (row.stacks.threads.empty() && row.stacks.other_threads == 0) answers.hosts_answered = 0;
  if (!row.stacks.unread.empty())
    answers.failed.push_back(
        {row.host, "process " + std::to_string(pid) + ": " + row.stacks.unread});
  answers.hosts.push_back({row.host, live::rows_as_json({row})});
  answers.bytes = answers.hosts.back().rows.size();
  return answers;
}

// Of all ranks of a run only: a part would take the place of more.
void keep(const StacksArguments& arguments, const live::Answers& answers,
          const std::vector<live::StackRow>& rows) {
  const auto directory = live_run(arguments);
  if (!directory.ok() || directory.value().empty() || !arguments.ranks.empty() || rows.empty())
    return;
  analysis::keep_answer(directory.value(), analysis::kKeptStacks,
                        serve::stacks_tree_json(answers, rows));
}

int show(const StacksArguments& arguments, const live::Answers& answers, bool of_run) {
  const std::string json = all_rows(answers);
  const auto rows = live::rows_of_json(json);
  if (!rows.ok()) return bad_input(rows.message());
  if (of_run) keep(arguments, answers, rows.value());
  const std::vector<live::StackTree> trees = live::merge(rows.value());
  std::string text;
  if (arguments.folded) {
    text = folded_stacks(trees, rows.value());
  } else if (arguments.speedscope) {
    text = speedscope_json(trees, rows.value()) + "\n";
  } else if (!arguments.json) {
    text = stacks_text(rows.value(), trees);
  }
  return print_live(arguments, answers, "stacks", json, text);
}

int run(const StacksArguments& arguments) {
  if (arguments.json && (arguments.folded || arguments.speedscope))
    return bad_usage("--json, --folded and --speedscope are three outputs: give one of them");
  if (!arguments.ranks.empty() && !parse_number_ranges(arguments.ranks))
    return bad_usage("--ranks " + arguments.ranks + ": numbers and ranges, such as 0-3,8");
  if (const auto pid = parse_number<pid_t>(arguments.run)) {
    if (*pid <= 0) return bad_usage("a process id is a positive number");
    if (!arguments.ranks.empty()) return bad_usage("--ranks is for a run, not for one process");
    return show(arguments, ask_process_here(*pid, arguments), false);
  }
  const auto answers = ask_live(arguments, "stacks", question_of(arguments));
  if (!answers.ok()) return bad_input(answers.message());
  return show(arguments, answers.value(), true);
}

}  // namespace

void add_stacks(base::Command& lockstep) {
  const auto arguments = std::make_shared<StacksArguments>();
  base::Command command = add_live_command(lockstep, "stacks",
                                           "Show where the ranks of a running job stand: their "
                                           "stacks, merged. RUN may also be the id of any "
                                           "process of yours on this host",
                                           arguments, run);
  command.option("--ranks", &arguments->ranks, "These ranks only, such as 0-3,7").shown_as("LIST");
  command.option("--samples", &arguments->samples, "How often, 200 ms apart").between(1, 100);
  command
      .option("--threads", &arguments->threads,
              "Which threads: all, main, nccl; without it the main ones and those of NCCL and CUDA")
      .one_of({"all", "main", "nccl"});
  const base::Argument folded =
      command.flag("--folded", &arguments->folded, "Print folded lines, for flame graphs");
  command.flag("--speedscope", &arguments->speedscope, "Print JSON for speedscope")
      .excludes(folded);
}

}  // namespace lockstep::cli
