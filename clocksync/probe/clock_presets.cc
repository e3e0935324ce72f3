#include "clocksync/probe/clock_presets.h"

#include <string_view>

#include "base/text.h"

namespace lockstep::clocksync {
namespace {

// Percent of one core.
struct CpuCap {
  std::string_view preset;
  double percent;
};
constexpr CpuCap kCpuCaps[] = {
    {"default", 2}, {"high-accuracy", 5}, {"low-overhead", 0.5}, {"debug", 5}};

bool set_cpu_cap(std::string_view preset, ClockSyncOptions* options) {
  for (const CpuCap& cap : kCpuCaps) {
    if (cap.preset != preset) continue;
    options->cpu_cap_percent = cap.percent;
    return true;
  }
  return false;
}

// The member that a whole number of that option goes to.
uint32_t* number_of(Option option, ClockSyncOptions* options) {
  switch (option) {
    case Option::ClockCadenceUs:
      return &options->cadence_us;
    case Option::ClockBurstUs:
      return &options->burst_cadence_us;
    case Option::ClockTrain:
      return &options->train;
    case Option::ClockSpacingUs:
      return &options->spacing_us;
    case Option::ClockWindowS:
      return &options->window_s;
    case Option::ClockSnapshotMs:
      return &options->snapshot_ms;
    case Option::ClockFlushMs:
      return &options->flush_ms;
    case Option::ClockDegree:
      return &options->degree;
    case Option::ClockAnchors:
      return &options->anchors;
    default:
      return nullptr;
  }
}

std::string* text_of(Option option, ClockSyncOptions* options) {
  switch (option) {
    case Option::ClockRendezvous:
      return &options->rendezvous;
    case Option::ClockJob:
      return &options->job;
    case Option::ClockPod:
      return &options->pod;
    case Option::ClockKeyFile:
      return &options->key_file;
    default:
      return nullptr;
  }
}

}  // namespace

void set_option(Option option, const OptionValue& value, ClockSyncOptions* options) {
  if (uint32_t* number = number_of(option, options)) *number = static_cast<uint32_t>(value.number);
  if (std::string* text = text_of(option, options)) *text = value.text;
  if (option == Option::ClockPort) options->port = static_cast<uint16_t>(value.number);
  if (option == Option::ClockInsecure) options->insecure = value.number != 0;
  if (option == Option::ClockDNsS2) options->d_ns_s2 = value.real;
  if (option == Option::ClockRhoPpm) options->rho_ppm = value.real;
  if (option == Option::ClockPreset) set_cpu_cap(value.text, options);
}

bool apply_preset(const std::string& preset, ClockSyncOptions* options) {
  if (!set_cpu_cap(preset, options)) return false;
  for (const OptionPreset& one : kClockPresets) {
    if (preset == one.preset)
      set_option(one.option, {parse_number<uint64_t>(one.value).value_or(0), 0, one.value}, options);
  }
  return true;
}

}  // namespace lockstep::clocksync
