// The options of include/lockstep/config.h in the prober's terms, and its presets: for the plugin,
// lockstep-clockd and the bench. docs/measured/prober.md has what each preset
// costs and buys.
#pragma once

#include <cstdint>
#include <string>

#include "clocksync/probe/clock_sync_options.h"
#include "lockstep/config.h"

namespace lockstep::clocksync {

// One option's value as dumper/options/config.h gives it.
struct OptionValue {
  uint64_t number;
  double real;
  const char* text;
};
// Options that do not concern the prober change nothing. LOCKSTEP_CLOCK_PRESET sets only what no other
// option can; the rest of a preset arrives as the options' own values.
void set_option(Option option, const OptionValue& value, ClockSyncOptions* options);

// All that the preset sets. False, and nothing changed, when there is no such preset.
bool apply_preset(const std::string& preset, ClockSyncOptions* options);

}  // namespace lockstep::clocksync
