// When `lockstep run` reports on the running program: with --snapshot-every each S seconds, and once when its teardown begins,
// so that a final state exists even when the shutdown is noisy. The plugin asks for that by the file snapshot.wanted
// in the run directory when the first communicator is finalized or aborted (plugin/process/snapshot_wish.h).
#pragma once

#include <chrono>
#include <string>

#include "cli/job/child_process.h"

namespace lockstep::cli {

// True for whoever takes the plugin's wish up, which removes the file.
bool take_snapshot_wish(const std::string& run_directory);

// What makes a report of what there is, into summary/TIME.
CommandLine snapshot_command(const std::string& run_directory);

class SnapshotClock {
 public:
  // `every_s`: 0 = at the teardown only.
  SnapshotClock(std::string run_directory, double every_s);

  // How often due() is worth asking.
  double look_s() const;
  bool due();

 private:
  // True once: programs that end communicators all the time are not reported on all the time.
  bool teardown_began();

  using Clock = std::chrono::steady_clock;
  const std::string directory_;
  const Clock::duration every_;
  Clock::time_point next_;
  bool teardown_told_ = false;
};

}  // namespace lockstep::cli
