// When `lockstep run --snapshot-every` reports on the running program: each S seconds, and when its
// teardown begins, so that a final state exists even when the shutdown is noisy. A process asks for
// that by closing its control socket, the first thing the plugin does when the last communicator
// ends.
#pragma once

#include <chrono>
#include <string>

namespace lockstep::cli {

class SnapshotClock {
 public:
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
  size_t sockets_ = 0;
  bool teardown_told_ = false;
};

}  // namespace lockstep::cli
