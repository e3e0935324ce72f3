#include "cli/job/child_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/launcher.h"
#include "base/spawn.h"
#include "base/system.h"
#include "cli/job/scontrol.h"
#include "cli/show/output.h"

namespace lockstep::cli {
namespace {

constexpr int kPassedOn[] = {SIGTERM, SIGINT,  SIGHUP,   SIGQUIT, SIGUSR1,
                             SIGUSR2, SIGALRM, SIGWINCH, SIGCONT};
using Clock = std::chrono::steady_clock;

int exit_code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

timespec until(Clock::time_point deadline) {
  const auto left = std::max(Clock::duration::zero(), deadline - Clock::now());
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(left).count();
  return {static_cast<time_t>(ns / 1000000000), static_cast<long>(ns % 1000000000)};
}

// The step whose srun is this process, as JOB.STEP; empty when SLURM knows none.
std::string step_of_srun(pid_t srun) {
  const std::string job = launch_fact(LaunchFact::Job, process_variables(), Launcher::Slurm);
  if (job.empty() || job.find_first_not_of("0123456789") != std::string::npos) return {};
  const std::string text = scontrol_show("step", job);
  const std::string mark = ":" + std::to_string(srun);
  const size_t found = std::min(text.find(mark + " "), text.find(mark + "\n"));
  if (found == std::string::npos) return {};
  const size_t line = text.rfind("StepId=", found);
  if (line == std::string::npos) return {};
  const size_t begin = line + std::strlen("StepId=");
  return text.substr(begin, text.find(' ', begin) - begin);
}

}  // namespace

std::string shown(const CommandLine& command) {
  std::string text;
  for (const std::string& word : command) {
    const bool plain = !word.empty() && word.find_first_of(" \t\n\"'\\$`*?<>|&;()#~") == word.npos;
    std::string quoted = word;
    for (size_t at = 0; (at = quoted.find('\'', at)) != quoted.npos; at += 4)
      quoted.replace(at, 1, "'\\''");
    text += (text.empty() ? "" : " ") + (plain ? word : "'" + quoted + "'");
  }
  return text;
}

std::string this_command() {
  const std::string path = link_target("/proc/self/exe");
  return path.empty() ? "lockstep" : path;
}

ChildProcess::ChildProcess() {
  sigemptyset(&watched_);
  for (int signal : kPassedOn) sigaddset(&watched_, signal);
  sigaddset(&watched_, SIGCHLD);
  sigprocmask(SIG_BLOCK, &watched_, &before_);
}

ChildProcess::~ChildProcess() { sigprocmask(SIG_SETMASK, &before_, nullptr); }

pid_t ChildProcess::start(const CommandLine& command, const std::string* output, Dies dies) const {
  const pid_t child = fork();
  if (child != 0) return child;
  if (dies == Dies::WithUs) prctl(PR_SET_PDEATHSIG, SIGTERM);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  if (output != nullptr) {
    const char* path = output->empty() ? "/dev/null" : output->c_str();
    const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file < 0 || nothing < 0) _exit(126);
    dup2(nothing, 0);
    dup2(file, 1);
    dup2(file, 2);
  }
  const std::vector<char*> arguments = argument_vector(command);
  execvp(arguments[0], arguments.data());
  const int why = errno;
  std::fprintf(stderr, "lockstep: cannot start %s: %s\n", arguments[0], std::strerror(why));
  _exit(why == ENOENT ? 127 : 126);
}

// One SIGTERM makes srun kill its step without letting the tasks end; SLURM itself can pass it on.
void ChildProcess::pass_on(const siginfo_t& signal) {
  if (signal.si_code == SI_KERNEL) return;  // the terminal's: it went to the program as well
  const bool ends = signal.si_signo == SIGTERM || signal.si_signo == SIGINT ||
                    signal.si_signo == SIGHUP || signal.si_signo == SIGQUIT;
  if (is_srun_ && ends && !step_was_told_) {
    const std::string step = step_of_srun(program_);
    const std::string name = std::to_string(signal.si_signo);
    if (!step.empty() && run_helper({"scancel", "-s", name, step}, "", 10) == 0) {
      step_was_told_ = true;
      complain("signal " + name + " goes to the tasks of step " + step + "; once more ends srun");
      return;
    }
  }
  kill(program_, signal.si_signo);
}

int ChildProcess::run_program(const CommandLine& command, double look_s,
                              const std::function<bool()>& is_due,
                              const std::function<void()>& job) {
  const std::string name = command[0].substr(command[0].rfind('/') + 1);
  is_srun_ = name == "srun";
  program_ = start(command, nullptr, Dies::ByItself);
  if (program_ < 0) {
    complain(std::string("cannot start a process: ") + std::strerror(errno));
    return 126;
  }
  const auto period = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(look_s > 0 ? look_s : 3600));
  Clock::time_point next = Clock::now() + period;
  pid_t working = -1;
  for (;;) {
    int status = 0;
    if (waitpid(program_, &status, WNOHANG) == program_) {
      if (working > 0) waitpid(working, nullptr, 0);
      return exit_code_of(status);
    }
    if (working > 0 && waitpid(working, nullptr, WNOHANG) == working) working = -1;
    const timespec left = until(next);
    siginfo_t signal{};
    const int got = sigtimedwait(&watched_, &signal, &left);
    if (got > 0 && got != SIGCHLD) pass_on(signal);
    if (got > 0 || errno != EAGAIN) continue;
    next += period;
    if (look_s <= 0 || working > 0 || !is_due()) continue;
    working = fork();
    if (working == 0) {
      job();
      _exit(0);
    }
  }
}

int ChildProcess::run_helper(const CommandLine& command, const std::string& output,
                             double limit_s) {
  const pid_t child = start(command, &output, Dies::ByItself);
  if (child < 0) return 126;
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(limit_s));
  constexpr timespec kPoll = {0, 5000000};  // 5 ms: signals stay pending for the loop above
  int status = 0;
  while (waitpid(child, &status, WNOHANG) != child) {
    if (Clock::now() > deadline) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      return -1;
    }
    nanosleep(&kPoll, nullptr);
  }
  return exit_code_of(status);
}

std::vector<int> ChildProcess::run_helpers(const std::vector<CommandLine>& commands,
                                           const std::vector<std::string>& outputs,
                                           double limit_s) const {
  std::vector<int> codes(commands.size(), -1);
  std::vector<pid_t> helpers;
  for (size_t i = 0; i < commands.size(); ++i)
    helpers.push_back(start(commands[i], &outputs[i], Dies::WithUs));
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(limit_s));
  constexpr timespec kPoll = {0, 5000000};
  for (size_t i = 0; i < helpers.size(); ++i) {
    int status = 0;
    if (helpers[i] < 0) continue;
    while (waitpid(helpers[i], &status, WNOHANG) == 0 && Clock::now() < deadline)
      nanosleep(&kPoll, nullptr);
    if (kill(helpers[i], 0) != 0) {
      codes[i] = exit_code_of(status);
      continue;
    }
    kill(helpers[i], SIGKILL);
    waitpid(helpers[i], nullptr, 0);
  }
  return codes;
}

pid_t ChildProcess::start_helper(const CommandLine& command, const std::string& output) const {
  return start(command, &output, Dies::WithUs);
}

bool ChildProcess::has_ended(pid_t helper) {
  siginfo_t ended{};
  return helper < 0 ||
         (waitid(P_PID, static_cast<id_t>(helper), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
          ended.si_pid == helper);
}

void ChildProcess::end_helper(pid_t helper, double limit_s) const {
  kill(helper, SIGTERM);
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(limit_s));
  constexpr timespec kPoll = {0, 5000000};
  while (waitpid(helper, nullptr, WNOHANG) == 0) {
    if (Clock::now() > deadline) {
      kill(helper, SIGKILL);
      waitpid(helper, nullptr, 0);
      return;
    }
    nanosleep(&kPoll, nullptr);
  }
}

}  // namespace lockstep::cli
