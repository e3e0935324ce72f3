#include "cli/job/agent_snapshots.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "base/clock_ns.h"
#include "cli/job/snapshot_clock.h"

namespace lockstep::cli {
namespace {

constexpr int64_t kReportLimitNs = 60'000'000'000;

bool has_its_own_report(const std::string& run) {
  return access((run + "/run.json").c_str(), F_OK) == 0;  // `lockstep run` makes it
}

bool make_file(const std::string& path) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file >= 0) close(file);
  return file >= 0;
}

// In silence, and with no signal blocked. No fork(): an agent has other threads, which may hold locks. -1: not started.
pid_t start(const CommandLine& command) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDIN_FILENO, STDERR_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = -1;
  const int why =
      posix_spawnp(&child, arguments[0], &actions, &attributes, arguments.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return why == 0 ? child : -1;
}

}  // namespace

AgentSnapshots::AgentSnapshots(std::vector<std::string> runs) : runs_(std::move(runs)) {
  for (const std::string& run : runs_) {
    if (!has_its_own_report(run)) take_snapshot_wish(run);
  }
}

AgentSnapshots::~AgentSnapshots() {
  if (is_working()) end_report();
  for (const std::string& path : taken_) unlink(path.c_str());
}

bool AgentSnapshots::is_working() {
  if (report_ > 0 && waitpid(report_, nullptr, WNOHANG) != 0) report_ = -1;
  return report_ > 0;
}

// Its files appear whole or not at all, so it may be ended at any moment.
void AgentSnapshots::end_report() {
  kill(report_, SIGKILL);
  waitpid(report_, nullptr, 0);
  report_ = -1;
}

bool AgentSnapshots::look() {
  if (is_working()) {
    if (mono_now_ns() - report_began_ns_ < kReportLimitNs) return true;
    end_report();
  }
  for (const std::string& run : runs_) {
    if (has_its_own_report(run) || !take_snapshot_wish(run)) continue;
    const std::string taken = run + "/agents/snapshot.taken";
    if (!make_file(taken)) continue;
    taken_.push_back(taken);
    report_ = start(snapshot_command(run));
    report_began_ns_ = mono_now_ns();
    return report_ > 0;
  }
  return false;
}

}  // namespace lockstep::cli
