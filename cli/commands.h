// The commands of `lockstep`, one file cli/commands/<name>.cc each. To add one: a line in the list below, in
// the order --help shows, and `void add_<name>(base::Command& lockstep)` in its file, which
// declares the command's arguments and what runs. Only main() exits; a command returns its exit
// code.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/command_line.h"

namespace lockstep::cli {

// clang-format off
#define LOCKSTEP_COMMANDS(X) \
  X(info) X(count) X(cat) X(explain) X(verify) X(recover) X(align) X(clock) X(diagnose) X(report) \
  X(serve) X(export) X(query) X(config) X(ps) X(progress) X(top) X(ras) X(nodes) X(stacks) X(ctl) \
  X(capture) X(captures) X(agent) X(agents) X(run) X(finish) X(collect) X(connect) X(runs) X(part)
// clang-format on

#define LOCKSTEP_COMMAND_DECLARATION(name) void add_##name(base::Command& lockstep);
LOCKSTEP_COMMANDS(LOCKSTEP_COMMAND_DECLARATION)
#undef LOCKSTEP_COMMAND_DECLARATION

enum ExitCode : int {
  kOk = 0,
  kFinding = 1,   // it ran and found something wrong, or part of what it read is damaged
  kUsage = 2,     // unknown command, option or argument
  kBadInput = 3,  // a file or directory of which nothing can be read, or that is something else
};

// What a command that has read a run ends with: an answer that rests on part of a run is no kOk.
inline int with_damage(int exit_code, const std::vector<std::string>& damage) {
  return exit_code == kOk && !damage.empty() ? kFinding : exit_code;
}

// What commands about one run take.
struct RunArguments {
  std::string directory;
  bool json = false;
};

// Declares a command about one run, with DIR and --json. Arguments: RunArguments, or what adds to
// it.
template <class Arguments>
base::Command add_run_command(base::Command& lockstep, const char* name, const char* help,
                              const std::shared_ptr<Arguments>& arguments,
                              int (*run)(const Arguments& arguments)) {
  base::Command command =
      lockstep.command(name, help, [arguments, run] { return run(*arguments); });
  command.option("DIR", &arguments->directory, "The run directory").required();
  command.flag("--json", &arguments->json, "Print JSON");
  return command;
}

}  // namespace lockstep::cli
