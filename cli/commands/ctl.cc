// `lockstep ctl`: asks and changes running processes through their control sockets.
#include <memory>
#include <string>
#include <vector>

#include "analysis/inspect/control_client.h"
#include "cli/commands.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

struct Arguments {
  std::string where;
  std::vector<std::string> words;
};

int run(const Arguments& arguments) {
  const auto processes = analysis::controlled_processes(arguments.where);
  if (!processes.ok()) return bad_input(processes.message());
  std::string request;
  for (const std::string& word : arguments.words) request += (request.empty() ? "" : " ") + word;
  int exit_code = kOk;
  for (const Result<std::string>& answer : analysis::ask_processes(processes.value(), request)) {
    if (!answer.ok()) {
      exit_code = bad_input(answer.message());
      continue;
    }
    print_json(answer.value());
    if (answer.value().compare(0, 9, "{\"error\":") == 0 && exit_code == kOk) exit_code = kUsage;
  }
  return exit_code;
}

}  // namespace

void add_ctl(base::Command& lockstep) {
  const auto arguments = std::make_shared<Arguments>();
  base::Command command = lockstep.command(
      "ctl",
      "Query or change running processes: status, events KINDS, flush, snapshot, interval US",
      [arguments] { return run(*arguments); });
  command
      .option("where", &arguments->where,
              "A run directory (all its processes on this machine) or a process id")
      .shown_as("DIR|PID")
      .required();
  command
      .option("words", &arguments->words,
              "status | events none, all, a preset or kinds | flush | snapshot | interval US")
      .shown_as("WORDS")
      .required();
}

}  // namespace lockstep::cli
