#include "cli/job/snapshot_clock.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace lockstep::cli {
namespace {

using Seconds = std::chrono::duration<double>;

constexpr double kLookS = 1, kNeverS = 1e9;

}  // namespace

bool take_snapshot_wish(const std::string& run_directory) {
  return unlink((run_directory + "/snapshot.wanted").c_str()) == 0;
}

CommandLine snapshot_command(const std::string& run_directory) {
  return {this_command(), "report", run_directory, "--snapshot"};
}

SnapshotClock::SnapshotClock(std::string run_directory, double every_s)
    : directory_(std::move(run_directory)),
      every_(std::chrono::duration_cast<Clock::duration>(Seconds(every_s > 0 ? every_s : kNeverS))),
      next_(Clock::now() + every_) {}

double SnapshotClock::look_s() const { return std::min(kLookS, Seconds(every_).count()); }

bool SnapshotClock::due() {
  const Clock::time_point now = Clock::now();
  if (!teardown_began() && now < next_) return false;
  next_ = now + every_;
  return true;
}

bool SnapshotClock::teardown_began() {
  if (teardown_told_ || !take_snapshot_wish(directory_)) return false;
  teardown_told_ = true;
  return true;
}

}  // namespace lockstep::cli
