// From the user's options (LOCKSTEP_CLOCK_*, presets) and what init() said to the options of the
// clock prober, and whether to probe at all. Called once by the recording when its first
// communicator of several hosts starts; reads nothing but its arguments.
#pragma once

#include <cstdint>
#include <string>

#include "clocksync/probe/clock_sync_options.h"
#include "dumper/options/config.h"

namespace lockstep::plugin {

struct ClockFacts {
  std::string host;           // as the segments name it
  std::string run_directory;  // absolute
  int32_t nodes = 0;          // 0: this ABI version does not say
};

// Asked for, or not forbidden and useful: alone, a host has nobody to compare its clock with.
bool wants_clock_probes(const dumper::Config& config, const ClockFacts& facts);

clocksync::ClockSyncOptions clock_options(const dumper::Config& config, const ClockFacts& facts);

}  // namespace lockstep::plugin
