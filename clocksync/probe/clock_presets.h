// Named sets of options of the clock prober, for the plugin (LOCKSTEP_CLOCK_PRESET),
// lockstep-clockd and the bench. What each measured: docs/measured/prober.md.
#pragma once

#include <string>

#include "clocksync/probe/clock_sync.h"

namespace lockstep::clocksync {

// False, and nothing changed, when there is no such preset.
bool apply_preset(const std::string& preset, ClockSyncOptions* options);

}  // namespace lockstep::clocksync
