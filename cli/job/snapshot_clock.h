// When `lockstep run` reports on the running program: with --snapshot-every each S seconds, and once when its teardown begins,
// so that a final state exists even when the shutdown is noisy. The plugin asks for that by the file snapshot.wanted
// in the run directory when the first communicator is finalized or aborted (plugin/process/snapshot_wish.h).
#pragma once

#include <chrono>
#include <string>

namespace lockstep::cli {

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
