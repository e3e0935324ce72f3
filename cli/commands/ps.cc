// `lockstep ps [RUN]`: the recording processes of a running job, or of this user on this host.
#include <memory>
#include <string>
#include <vector>

#include "cli/live/live_arguments.h"
#include "cli/live/process_table.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

struct PsArguments : LiveArguments {
  bool tree = false;
};

int run(const PsArguments& arguments) {
  const Result<live::Answers> answers = ask_live(arguments, "ps", "{}");
  if (!answers.ok()) return bad_input(answers.message());
  const std::string rows = all_rows(answers.value());
  return print_live(arguments, answers.value(), "processes", rows,
                    arguments.tree ? process_tree(rows) : process_table(rows));
}

}  // namespace

void add_ps(base::Command& lockstep) {
  const auto arguments = std::make_shared<PsArguments>();
  base::Command command =
      add_live_command(lockstep, "ps", "List the processes that record now, and what each does",
                       arguments, run, false);
  command.flag("--tree", &arguments->tree, "By run and host");
}

}  // namespace lockstep::cli
