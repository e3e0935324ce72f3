// `lockstep progress RUN`: how far each rank of a running job has come.
#include <memory>

#include "cli/live/live_arguments.h"
#include "cli/live/standings.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

constexpr size_t kMostLines = 16;  // of a communicator

int run_progress(const LiveArguments& arguments) {
  const Result<live::Answers> answers = ask_live(arguments, "progress", "{}");
  if (!answers.ok()) return bad_input(answers.message());
  const auto comms = standings_of(all_rows(answers.value()));
  return print_live(arguments, answers.value(), "progress", standings_json(comms),
                    standings_text(comms, kMostLines));
}

}  // namespace

void add_progress(base::Command& lockstep) {
  add_live_command(lockstep, "progress",
                   "Show how far each rank has come, on every communicator, laggards first",
                   std::make_shared<LiveArguments>(), run_progress);
}

}  // namespace lockstep::cli
