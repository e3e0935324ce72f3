#include "cli/job/snapshot_clock.h"

#include <algorithm>
#include <utility>

#include "live/local/control_client.h"

namespace lockstep::cli {
namespace {

using Seconds = std::chrono::duration<double>;

}  // namespace

SnapshotClock::SnapshotClock(std::string run_directory, double every_s)
    : directory_(std::move(run_directory)),
      every_(std::chrono::duration_cast<Clock::duration>(Seconds(every_s))),
      next_(Clock::now() + every_) {}

double SnapshotClock::look_s() const { return std::min(1.0, Seconds(every_).count()); }

bool SnapshotClock::due() {
  const Clock::time_point now = Clock::now();
  if (!teardown_began() && now < next_) return false;
  next_ = now + every_;
  return true;
}

bool SnapshotClock::teardown_began() {
  if (teardown_told_) return false;
  const auto processes = live::controlled_processes(directory_);
  const size_t now = processes.ok() ? processes.value().size() : 0;
  teardown_told_ = now < sockets_;
  sockets_ = now;
  return teardown_told_;
}

}  // namespace lockstep::cli
