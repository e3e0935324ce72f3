// A capture on the common clock of a run's hosts: an instant as each host's wall clock shows it, and how
// far apart ranks began. The clock is solved from what the probers have recorded so far. One thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "clocksync/record/clock_model.h"
#include "dumper/run/capture_file.h"

namespace lockstep::cli {

class CommonClock {
 public:
  explicit CommonClock(const std::string& run);

  // Hosts whose clocks are not connected get the instant as it is. `real_offsets`: of each host,
  // CLOCK_REALTIME less CLOCK_MONOTONIC_RAW, just now. The instant is one of the reference's wall clock,
  // or of the hosts' own where there is no common clock.
  std::map<std::string, int64_t> wall_of_hosts(
      int64_t unix_ns, const std::map<std::string, int64_t>& real_offsets) const;

  // Fills in spread_ns and spread_bound_ns, where all that began can be compared.
  void measure_spread(dumper::Capture* capture) const;

 private:
  std::optional<clocksync::GlobalTime> to_global(const std::string& host, int64_t raw_ns) const;

  std::optional<clocksync::ClockModel> model_;
};

}  // namespace lockstep::cli
