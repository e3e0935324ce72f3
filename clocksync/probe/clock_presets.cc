#include "clocksync/probe/clock_presets.h"

namespace lockstep::clocksync {

bool apply_preset(const std::string& preset, ClockSyncOptions* options) {
  if (preset == "high-accuracy") {
    options->cadence_us = 20'000;
    options->burst_cadence_us = 5'000;
    options->cpu_cap_percent = 5;
  } else if (preset == "low-overhead") {
    options->cadence_us = 1'000'000;
    options->burst_cadence_us = 50'000;
    options->snapshot_ms = 1000;
    options->degree = 4;
    options->cpu_cap_percent = 0.5;
  } else if (preset == "debug") {
    options->cadence_us = 50'000;
    options->window_s = 2;
    options->snapshot_ms = 50;
    options->flush_ms = 200;
    options->cpu_cap_percent = 5;
  } else {
    return preset == "default";
  }
  return true;
}

}  // namespace lockstep::clocksync
