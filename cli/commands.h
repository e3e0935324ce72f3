// The commands of `lockstep`, one file cli/<name>.cc each. To add one: a line in the list below, in
// the order --help shows, and `void add_<name>(CLI::App& app, int& exit_code)` in its file, which
// declares the command's arguments and what runs. Only main() exits; a command returns its exit
// code.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

namespace lockstep::cli {

// clang-format off
#define LOCKSTEP_COMMANDS(X) \
  X(info) X(count) X(cat) X(verify) X(recover) X(align) X(clock) X(diagnose) \
  X(report) X(export) X(query) X(config) X(ctl) X(run) X(finish) X(collect) X(runs) X(part)
// clang-format on

#define LOCKSTEP_COMMAND_DECLARATION(name) void add_##name(CLI::App& app, int& exit_code);
LOCKSTEP_COMMANDS(LOCKSTEP_COMMAND_DECLARATION)
#undef LOCKSTEP_COMMAND_DECLARATION

enum ExitCode : int {
  kOk = 0,
  kFinding = 1,   // it ran and found something wrong in what it was shown
  kUsage = 2,     // unknown command, option or argument
  kBadInput = 3,  // a file or directory that cannot be read, or is not what it should be
};

// Declares a command; `run` is called once its arguments are parsed, and its result becomes the
// exit code.
inline CLI::App* add_command(CLI::App& app, int& exit_code, const char* name, const char* help,
                             const std::function<int()>& run) {
  CLI::App* command = app.add_subcommand(name, help);
  command->callback([&exit_code, run] { exit_code = run(); });
  return command;
}

// What commands about one run take.
struct RunArguments {
  std::string directory;
  bool json = false;
};

// Declares a command about one run, with DIR and --json. Arguments: RunArguments, or what adds to
// it.
template <class Arguments>
CLI::App* add_run_command(CLI::App& app, int& exit_code, const char* name, const char* help,
                          const std::shared_ptr<Arguments>& arguments,
                          int (*run)(const Arguments& arguments)) {
  CLI::App* command =
      add_command(app, exit_code, name, help, [arguments, run] { return run(*arguments); });
  command->add_option("DIR", arguments->directory, "The run directory")->required();
  command->add_flag("--json", arguments->json, "Print JSON");
  return command;
}

}  // namespace lockstep::cli
