#include "cli/job/agent_snapshots.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <utility>

#include "base/clock_ns.h"
#include "base/spawn.h"
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
    if (spawn(snapshot_command(run), -1, -1, &report_) != 0) report_ = -1;
    report_began_ns_ = mono_now_ns();
    return report_ > 0;
  }
  return false;
}

}  // namespace lockstep::cli
