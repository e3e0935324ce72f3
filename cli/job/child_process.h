// Programs that `lockstep run` starts: the user's, with every signal passed on, and its own
// helpers. Blocks signals in the calling (only) thread for as long as the object lives; the
// programs get the mask back that was there before. Touches neither stdin nor stdout of the user's
// program.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

namespace lockstep::cli {

using CommandLine = std::vector<std::string>;

// For people: quoted where a shell would need it.
std::string shown(const CommandLine& command);

// Path of the running command.
std::string this_command();

class ChildProcess {
 public:
  ChildProcess();
  ~ChildProcess();
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;

  // Runs the program to its end. Each `look_s` seconds meanwhile (0: never) `is_due` is asked, and
  // when it says so `job` is called in a process of its own, not while the last one still runs. The
  // result is the program's exit
  // code, 128 + the signal that ended it, or 127 and 126 as a shell for what cannot be started.
  int run_program(const CommandLine& command, double look_s, const std::function<bool()>& is_due,
                  const std::function<void()>& job);

  // Runs a helper, its output to a file (both streams; empty: /dev/null). -1 after `limit_s`.
  int run_helper(const CommandLine& command, const std::string& output, double limit_s);

  // Runs all of them at the same time, as run_helper(); an exit code each, in the same order.
  std::vector<int> run_helpers(const std::vector<CommandLine>& commands,
                               const std::vector<std::string>& outputs, double limit_s) const;

  // Starts a helper that runs beside the program and gets SIGTERM when we die; -1 when that fails.
  pid_t start_helper(const CommandLine& command, const std::string& output) const;
  // Of a helper that start_helper() started, or could not start; end_helper() is still to come.
  static bool has_ended(pid_t helper);
  // SIGTERM, and SIGKILL `limit_s` later.
  void end_helper(pid_t helper, double limit_s) const;

 private:
  enum class Dies { ByItself, WithUs };
  pid_t start(const CommandLine& command, const std::string* output, Dies dies) const;
  void pass_on(const siginfo_t& signal);

  sigset_t watched_;
  sigset_t before_;
  pid_t program_ = -1;
  bool is_srun_ = false;
  bool step_was_told_ = false;
};

}  // namespace lockstep::cli
