#include <signal.h>

#include <cstdio>
#include <exception>

#include "cli/commands.h"
#include "cli/show/output.h"
#include "cli/show/version.h"

namespace lockstep::cli {
namespace {

constexpr const char* kExitCodes =
    "Exit codes: 0 all is well; 1 a finding: it ran and something in the data is wrong, or part of "
    "the data is damaged; 2 wrong usage; 3 bad input: nothing can be read, and nothing was "
    "written.\nMost commands print JSON with --json.";

// Beyond RLIMIT_FSIZE a write is to fail, so that its command says so and removes what it began,
// and not to kill it. A handler and not SIG_IGN, which programs that we start would inherit.
void outlive_the_file_size_limit() {
  struct sigaction action {};
  if (sigaction(SIGXFSZ, nullptr, &action) != 0 || action.sa_handler == SIG_IGN) return;
  action.sa_handler = [](int) {};
  sigaction(SIGXFSZ, &action, nullptr);
}

int run(int argc, char** argv) {
  outlive_the_file_size_limit();
  base::Program program("NCCL traces from every rank, complete, on one clock.", "lockstep");
  program.footer(kExitCodes);
  program.version(version_text());
#define LOCKSTEP_COMMAND_ADD(name) add_##name(program);
  LOCKSTEP_COMMANDS(LOCKSTEP_COMMAND_ADD)
#undef LOCKSTEP_COMMAND_ADD
  int exit_code = kOk;
  if (const auto status = program.parse(argc, argv)) {
    exit_code = *status;
  } else {
    try {
      exit_code = program.run();
    } catch (const std::exception& error) {
      exit_code = bad_input(std::string("it stopped: ") + error.what());
    }
  }
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    exit_code = bad_input("cannot write the output");
  return exit_code;
}

}  // namespace
}  // namespace lockstep::cli

int main(int argc, char** argv) { return lockstep::cli::run(argc, argv); }
