#include <cstdio>

#include "cli/commands.h"
#include "cli/show/output.h"
#include "lockstep/version.h"

namespace lockstep::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 all is well; 1 a finding: it ran and something in the data is wrong; 2 wrong "
    "usage; 3 bad input: a "
    "file or directory that cannot be read.\nMost commands print JSON with --json.";

// CLI11 would only say that a command is required.
bool names_no_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return false;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == argv[1]) return false;
  }
  return true;
}

int run(int argc, char** argv) {
  CLI::App app("NCCL traces from every rank, complete, on one clock.", "lockstep");
  app.footer(kExitCodes);
  app.set_version_flag("--version", std::string("lockstep ") + kVersion);
  app.require_subcommand(1);
  int exit_code = kOk;
#define LOCKSTEP_COMMAND_ADD(name) add_##name(app, exit_code);
  LOCKSTEP_COMMANDS(LOCKSTEP_COMMAND_ADD)
#undef LOCKSTEP_COMMAND_ADD
  for (CLI::App* command : app.get_subcommands({})) command->footer(kExitCodes);
  if (names_no_command(app, argc, argv)) {
    return bad_usage(std::string("there is no command '") + argv[1] +
                     "'; `lockstep --help` lists them");
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error) == 0 ? kOk : kUsage;  // --help and --version arrive here as well
  } catch (const std::exception& error) {
    exit_code = bad_input(std::string("it stopped: ") + error.what());
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    exit_code = bad_input("cannot write the output");
  return exit_code;
}

}  // namespace
}  // namespace lockstep::cli

int main(int argc, char** argv) { return lockstep::cli::run(argc, argv); }
